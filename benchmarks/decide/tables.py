"""Ten tables to learn: of scikit-learn, of statsmodels, and of the UCI repository where `../shared/data/uci` is."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

UCI = Path(__file__).resolve().parents[3] / "shared" / "data" / "uci"
SPLITS = 10
HELD = 0.1


class Ten(NamedTuple):
    """A table, its target, and whether that is a class."""

    frame: pl.DataFrame
    target: str
    is_class: bool


def _of_sklearn(name: str, *, is_class: bool) -> Ten:
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")(as_frame=True)
    frame = pl.DataFrame({str(column): loaded.data[column].to_numpy() for column in loaded.data})
    y = loaded.target.to_numpy()
    words = np.array([f"class {code}" for code in y]) if is_class else y.astype(float)
    return Ten(frame.with_columns(pl.Series("target", words)), "target", is_class)


def _of_statsmodels(name: str, target: str, *, is_class: bool) -> Ten:
    from importlib import import_module

    data = import_module(f"statsmodels.datasets.{name}").load_pandas().data
    frame = pl.DataFrame({str(column): data[column].to_numpy() for column in data})
    if is_class:
        frame = frame.with_columns(pl.col(target).cast(pl.Int64).cast(pl.String))
    return Ten(frame, target, is_class)


def _of_uci(name: str) -> Ten:
    rows = np.loadtxt(UCI / f"{name}.csv.gz", delimiter=",")
    names = [f"x{j}" for j in range(rows.shape[1] - 1)]
    return Ten(pl.DataFrame(dict(zip([*names, "y"], rows.T, strict=True))), "y", is_class=False)


OF_UCI = ("housing", "concrete", "energy", "yacht", "airfoil")
TABLES: dict[str, Callable[[], Ten]] = {
    "diabetes": lambda: _of_sklearn("diabetes", is_class=False),
    "engel": lambda: _of_statsmodels("engel", "foodexp", is_class=False),
    **{name: lambda name=name: _of_uci(name) for name in OF_UCI},
    "breast cancer": lambda: _of_sklearn("breast_cancer", is_class=True),
    "wine": lambda: _of_sklearn("wine", is_class=True),
    "anes96": lambda: _of_statsmodels("anes96", "vote", is_class=True),
}


def split(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to be judged on."""
    order = np.random.default_rng(seed).permutation(rows)
    held = int(np.ceil(HELD * rows))
    return np.sort(order[held:]), np.sort(order[:held])
