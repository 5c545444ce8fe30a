"""Texts as codes: letter by letter, in pipelines, through files."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

import credo
from credo.errors import CredoError, InputError
from credo.kernels import Spectrum
from credo.models import KernelRidge
from credo.represent import StringEncoder

TEXTS = ["banana", "ananas", "", "band", "né"]


def test_every_letter_is_its_code_point_and_the_rest_is_filled():
    codes = StringEncoder().fit_transform(TEXTS)
    assert codes.shape == (5, 6)
    for text, row in zip(TEXTS, codes, strict=True):
        assert "".join(map(chr, row[: len(text)])) == text
        assert np.all(row[len(text) :] == -1)


@pytest.mark.parametrize(
    "texts",
    [
        np.array(TEXTS),
        np.array(TEXTS)[:, None],
        pd.Series(TEXTS),
        pd.DataFrame({"t": TEXTS}),
        pl.DataFrame({"t": TEXTS}),
    ],
    ids=["array", "column", "series", "pandas", "polars"],
)
def test_texts_of_every_library(texts):
    np.testing.assert_array_equal(StringEncoder().fit_transform(texts), StringEncoder().fit_transform(TEXTS))


def test_new_texts_have_the_same_codes_and_new_letters_codes_of_their_own():
    encoder = StringEncoder(length=8).fit(TEXTS)
    codes = encoder.transform(["bande", "queen"])
    np.testing.assert_array_equal(codes[0, :4], encoder.transform(["band"])[0, :4])
    assert not np.isin(codes[1, 0], encoder.transform(TEXTS))
    assert np.all(np.asarray(Spectrum(2)(codes[1:], encoder.transform(TEXTS)))[0, [0, 1, 3]] == 0.0)


def test_in_pipelines_and_files(tmp_path):
    model = make_pipeline(StringEncoder(), KernelRidge(kernel=Spectrum(1), alpha=0.1))
    y = np.array([float(text.count("a")) for text in TEXTS])
    frame = pd.DataFrame({"t": TEXTS})
    by_name = make_column_transformer((StringEncoder(), "t"))
    np.testing.assert_array_equal(by_name.fit_transform(frame), StringEncoder().fit_transform(TEXTS))
    np.testing.assert_allclose(clone(model).fit(frame[["t"]], y).predict(TEXTS), model.fit(TEXTS, y).predict(TEXTS))
    credo.save(model[0], tmp_path / "encoder.credo")
    again = credo.load(tmp_path / "encoder.credo")
    np.testing.assert_array_equal(again.transform(["nana"]), model[0].transform(["nana"]))
    assert again.get_feature_names_out().tolist() == [f"letter{j}" for j in range(6)]


def test_what_is_refused():
    encoder = StringEncoder().fit(TEXTS)
    with pytest.raises(InputError, match=r"a text has 7 letters, but rows have 6 columns.*StringEncoder\(length=7\)"):
        encoder.transform(["bananas"])
    with pytest.raises(InputError, match="row 1 is None, which is not text"):
        encoder.transform(["a", None])
    with pytest.raises(InputError, match=r"the texts have shape \(\)"):
        encoder.transform("banana")
    with pytest.raises(CredoError, match="length"):
        StringEncoder(length=0).fit(TEXTS)
