"""The minimizer against known minima, its own sequential mode, and functions that break."""

import sys
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize

from credo.errors import ConvergenceWarning, InputError, NumericalError, PrecisionError
from credo.numerics import Minimum, curvature, enable_float64, gaussian_log_density, minimize

TRACES = {"rosenbrock": 0}


def rosenbrock(x, steepness, own):
    TRACES["rosenbrock"] += 1
    return jnp.sum(steepness * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rastrigin(x, shared, own):
    return jnp.sum(x**2 - 10.0 * jnp.cos(2.0 * jnp.pi * x) + 10.0)


def barrier(x, shared, own):
    return jnp.sum(x - jnp.log(x))  # NaN for a negative x, lowest at one


def logistic_loss(x, shared, own):
    X, y = shared
    margins = X @ x
    return jnp.sum(own["weights"] * (jnp.logaddexp(0.0, margins) - y * margins)) + 0.5 * jnp.sum(x**2)


def two_wells(x, shared, own):
    return jnp.sum((x**2 - 1.0) ** 2) + 0.3 * jnp.sum(x)


def plateau(x, shared, own):
    """A deep well at 0 and a slope so gentle, far out, that no start on it ever arrives."""
    return jnp.sum(-1e3 * jnp.exp(-0.5 * x**2) + 1e-3 * jnp.log1p(x**2) + 1e-3 * jnp.sin(x))


def starts(count, p, scale=2.0, seed=0):
    return scale * np.random.default_rng(seed).standard_normal((count, p))


@pytest.mark.parametrize("batch", [True, False])
def test_finds_the_minimum_and_says_how(batch):
    solution = minimize(rosenbrock, starts(6, 4), shared=100.0, batch=batch)
    np.testing.assert_allclose(solution.value.x, 1.0, atol=1e-5)
    assert isinstance(solution.value, Minimum)
    assert solution.value.value < 1e-9
    assert solution.value.gradient_norm <= 1e-4
    assert solution.value.start == np.nanargmin(solution.info["values"])
    assert solution.certificate.kind == "heuristic"
    assert solution.certificate.converged
    assert "a local minimum" in solution.certificate.notes
    assert solution.certificate.residual == solution.value.gradient_norm


def test_batched_and_sequential_agree_start_by_start():
    """20 starts are more than one chunk of the batch, so the last chunk is padded."""
    together = minimize(rastrigin, starts(20, 3), batch=True, drop=False)
    in_turn = minimize(rastrigin, starts(20, 3), batch=False, drop=False)
    np.testing.assert_allclose(together.info["x"], in_turn.info["x"], atol=1e-6)
    np.testing.assert_allclose(together.info["values"], in_turn.info["values"], atol=1e-9)
    assert together.info["statuses"] == in_turn.info["statuses"]
    assert np.unique(together.info["values"].round(3)).size > 3  # they do end in different minima


def test_agrees_with_scipy_on_the_same_start():
    start = starts(1, 5)[0]
    expected = optimize.minimize(optimize.rosen, start, jac=optimize.rosen_der, method="L-BFGS-B", tol=1e-12)
    solution = minimize(rosenbrock, start, shared=100.0, tolerance=1e-7)
    assert solution.value.x.shape == (5,)
    np.testing.assert_allclose(solution.value.x, expected.x, atol=1e-5)


def test_new_data_of_the_same_shapes_do_not_compile_again():
    for batch in (True, False):
        minimize(rosenbrock, starts(3, 2), shared=100.0, batch=batch)
        before = TRACES["rosenbrock"]
        for k in range(3):
            minimize(rosenbrock, starts(3, 2, seed=k), shared=50.0 + k, batch=batch)
        assert TRACES["rosenbrock"] == before


def test_replicates_are_starts_with_their_own_weights():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30).astype(float)
    W = rng.multinomial(30, np.full(30, 1 / 30), size=5).astype(float)
    solution = minimize(logistic_loss, np.zeros((5, 2)), shared=(X, y), own={"weights": W}, convex=True, tolerance=1e-8)
    assert solution.certificate.kind == "exact"
    assert set(solution.info["statuses"]) == {"converged"}
    for w, x in zip(W, solution.info["x"], strict=True):  # the score equations, written in NumPy
        fitted = 1.0 / (1.0 + np.exp(-X @ x))
        np.testing.assert_allclose(X.T @ (w * (fitted - y)) + x, 0.0, atol=1e-5)


def test_bounds_hold_and_the_residual_is_projected():
    box = np.array([[-0.5, 0.5], [2.0, 3.0]])
    solution = minimize(rosenbrock, np.array([[0.0, 2.5], [9.0, -9.0]]), shared=100.0, bounds=box)
    expected = optimize.minimize(optimize.rosen, [0.0, 2.5], bounds=box, method="trust-constr", tol=1e-10)
    np.testing.assert_allclose(solution.value.x, expected.x, atol=1e-4)
    assert solution.value.gradient_norm < 1e-4
    each = np.stack([box, [[0.9, 2.0], [0.9, 2.0]]])
    own_boxes = minimize(rosenbrock, np.ones((2, 2)), shared=100.0, bounds=each, drop=False)
    np.testing.assert_allclose(own_boxes.info["x"], [solution.value.x, [1.0, 1.0]], atol=1e-4)


@pytest.mark.parametrize("batch", [True, False])
def test_a_wall_of_nan_turns_the_search_back_and_a_start_behind_it_fails_alone(batch):
    points = np.array([[1e-3, 50.0], [-1.0, 1.0], [4.0, 1e-6]])
    solution = minimize(barrier, points, batch=batch, drop=False)
    assert solution.info["statuses"] == ("converged", "failed", "converged")
    np.testing.assert_allclose(solution.info["x"][[0, 2]], 1.0, atol=1e-4)
    assert np.all(np.isnan(solution.info["x"][1]))
    assert solution.info["evaluations"][1] == 1
    assert any("1 of 3 starts had no finite value" in note for note in solution.certificate.notes)


def test_all_starts_failing_is_an_error_that_names_the_cause():
    with pytest.raises(NumericalError, match=r"Fit: the function has no finite value.*at any of 2 starts.*singular"):
        minimize(barrier, -np.ones((2, 2)), who="Fit")


def raising(x, shared, own):
    def check(value):
        if value > 5.0:
            raise FloatingPointError("overflow at this point")
        return value

    seen = jax.pure_callback(
        check, jax.ShapeDtypeStruct((), x.dtype), jax.lax.stop_gradient(x[0]), vmap_method="sequential"
    )
    return jnp.sum(x**2) + 0.0 * seen


@pytest.mark.parametrize("batch", [True, False])
def test_a_start_whose_evaluation_raises_fails_alone(batch):
    solution = minimize(raising, np.array([[1.0], [9.0]]), batch=batch)
    assert solution.info["statuses"] == ("converged", "failed")
    with pytest.raises(NumericalError) as caught:
        minimize(raising, np.array([[9.0], [8.0]]), batch=batch)
    assert "overflow at this point" in str(caught.value.__cause__)


def untraceable(x, shared, own):
    return float(x[0])


def test_a_mistake_in_the_function_is_not_taken_for_a_bad_start():
    with pytest.raises(jax.errors.ConcretizationTypeError):
        minimize(untraceable, np.zeros((2, 1)))


@pytest.mark.parametrize("batch", [True, False])
def test_hopeless_starts_are_dropped_and_never_the_best(batch):
    points = np.array([[0.5], [400.0], [900.0]])
    dropping = minimize(plateau, points, batch=batch, tolerance=1e-12)
    keeping = minimize(plateau, points, batch=batch, tolerance=1e-12, drop=False)
    np.testing.assert_allclose(dropping.value.x, keeping.value.x, atol=1e-8)
    assert dropping.info["statuses"][0] == "converged"
    assert "dropped" not in keeping.info["statuses"]


def test_dropping_saves_evaluations_on_a_function_with_many_minima():
    points = starts(16, 6, scale=4.0)
    dropping = minimize(rosenbrock, points, shared=100.0)
    keeping = minimize(rosenbrock, points, shared=100.0, drop=False)
    assert "dropped" in dropping.info["statuses"]
    assert dropping.info["evaluations"].sum() < keeping.info["evaluations"].sum()
    np.testing.assert_allclose(dropping.value.value, keeping.value.value, atol=1e-9)


def test_of_two_wells_the_deeper_one_is_reported():
    solution = minimize(two_wells, np.array([[1.0], [-1.0]]))
    assert solution.value.start == 1
    assert solution.value.x[0] < 0
    assert solution.info["values"][0] > solution.info["values"][1]


def test_too_few_iterations_are_a_warning_and_in_the_certificate():
    with pytest.warns(ConvergenceWarning, match="Fit: stopped after 3 iterations"):
        solution = minimize(rosenbrock, starts(1, 4), shared=100.0, max_iterations=3, who="Fit")
    assert not solution.certificate.converged
    assert solution.certificate.iterations == 3
    assert solution.info["statuses"] == ("stopped early",)


def test_where_another_search_begins_few_iterations_are_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = minimize(rosenbrock, starts(1, 4), shared=100.0, max_iterations=3, rough=True)
    assert solution.info["statuses"] == ("stopped early",)


@pytest.mark.parametrize("batch", [False, True])
def test_a_search_that_gains_little_twice_has_converged(batch):
    points, settings = starts(3, 4), {"shared": 100.0, "batch": batch, "drop": False}
    whole, rough = minimize(rosenbrock, points, **settings), minimize(rosenbrock, points, gain=1e-3, **settings)
    assert rough.info["statuses"] == ("converged",) * 3
    assert np.all(rough.info["evaluations"] < whole.info["evaluations"])
    np.testing.assert_allclose(rough.info["values"], whole.info["values"], atol=1e-2)


def on_a_grid(x, grid, own):
    """cosh, with a value that is rounded up to a multiple of the grid and the gradient of the function itself."""
    value = jnp.sum(jnp.cosh(jnp.array([1.0, 1.7, 4.0]) * x) - 1.0)
    return value + jax.lax.stop_gradient(grid * jnp.ceil(value / grid) - value)


def test_a_start_that_found_no_lower_point_is_in_the_notes_with_its_gradient():
    points = np.array([[3.0, -2.0, 1.0], [0.0, 0.0, 0.0]])
    fine = minimize(on_a_grid, points, shared=1e-7)
    assert fine.info["statuses"] == ("converged", "converged")
    blocked = fine.info["gradient_norms"][0]
    assert 1e-5 < blocked < 1e-3
    expected = f"1 of 2 starts ended where no lower point was found, with a gradient of up to {blocked:.2g}"
    assert expected in fine.certificate.notes
    with pytest.warns(ConvergenceWarning, match="Fit: stopped after"):
        coarse = minimize(on_a_grid, points[:1], shared=1e-2, who="Fit")
    assert coarse.info["statuses"] == ("stopped early",)
    assert any("1 of 1 starts ended where no lower point was found" in note for note in coarse.certificate.notes)
    assert not any("no lower point" in note for note in minimize(two_wells, np.array([[1.0]])).certificate.notes)


def negative_log_evidence(parameters, data, own):
    x, y = data
    scaled = x / jnp.exp(parameters[0])
    covariance = jnp.exp(parameters[1] - 0.5 * (scaled[:, None] - scaled) ** 2)
    return -gaussian_log_density(covariance, y, noise=jnp.exp(parameters[2]))


@pytest.mark.filterwarnings("error")
def test_a_gaussian_process_without_noise_ends_at_rounding_and_is_no_warning():
    """The evidence is rounded at about 1e-7 of its size here, so that nearly every search ends above the tolerance."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, size=40)
    bounds = np.array([[-6.0, 6.0], [-6.0, 6.0], [-20.0, 3.0]])
    solution = minimize(
        negative_log_evidence, starts(6, 3, 1.0), shared=(x, np.sin(2.0 * x)), bounds=bounds, drop=False
    )
    assert set(solution.info["statuses"]) == {"converged"}
    assert any("starts ended where no lower point was found" in note for note in solution.certificate.notes)


def constant(x, shared, own):
    return shared + 0.0 * jnp.sum(x)


def test_nothing_to_minimize_over_is_one_evaluation():
    solution = minimize(constant, np.zeros((1, 0)), shared=3.0)
    assert solution.value.value == 3.0
    assert solution.info["evaluations"].tolist() == [1]
    assert solution.certificate.converged


def to_the_mean(x, data, own):
    weights = 1.0 if own is None else own
    return jnp.sum((x - jnp.mean(weights * data)) ** 2)


def keeping(widths, run):
    def noting(*args, at_once=None):
        widths.append(at_once)
        run(*args, at_once=at_once)

    return noting


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        (499, {}, None),
        (500, {}, 3),
        (1500, {}, 1),
        (499, {"batch": False}, 1),
        (500, {"batch": True}, None),
    ],
)
def test_short_arrays_go_together_longer_ones_on_a_core_each_and_long_ones_alone(monkeypatch, rows, options, expected):
    module = sys.modules["credo.numerics.minimize"]  # the room exports the function under the same name
    widths = []
    monkeypatch.setattr(module, "available_cores", lambda: 3)
    monkeypatch.setattr(module, "run_together", keeping(widths, module.run_together))
    shared = minimize(to_the_mean, np.zeros((2, 1)), shared=np.ones(rows), **options)
    own = minimize(to_the_mean, np.zeros((2, 1)), shared=1.0, own=np.ones((2, rows)), **options)
    np.testing.assert_allclose([shared.info["x"], own.info["x"]], 1.0, atol=1e-6)
    assert widths == [expected] * 2


class Log:
    def __init__(self):
        self.phases, self.steps = [], 0

    def phase(self, name):
        if name not in self.phases:
            self.phases.append(name)

    def advance(self, steps=1):
        self.steps += steps


def test_progress_hears_of_compiling_and_of_every_start():
    log = Log()
    minimize(two_wells, np.array([[1.0], [-1.0], [0.3]]), progress=log)
    assert log.phases == ["compiling", "minimizing"]
    assert log.steps == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"starts": np.array([[np.nan]])}, "not all finite"),
        ({"starts": np.zeros((0, 1))}, "starts have shape"),
        ({"starts": np.zeros((1, 1, 1))}, "starts have shape"),
        ({"starts": np.zeros((2, 1)), "bounds": np.zeros((2, 2))}, "bounds have shape"),
        ({"starts": np.zeros((2, 1)), "bounds": np.array([[1.0, 0.0]])}, "above its upper"),
        ({"starts": np.zeros((2, 1)), "own": np.zeros((3, 4))}, r"own data of shape \(3, 4\) for 2 starts"),
    ],
)
def test_bad_input_is_refused_before_anything_is_compiled(options, match):
    with pytest.raises(InputError, match=match):
        minimize(two_wells, **options)


def test_32_bit_is_refused():
    try:
        jax.config.update("jax_enable_x64", False)
        with pytest.raises(PrecisionError, match="Fit"):
            minimize(two_wells, np.zeros(1), who="Fit")
    finally:
        enable_float64()


@pytest.mark.parametrize("batch", [True, False])
def test_starts_that_come_to_a_known_minimum_end_there_and_others_do_not(batch):
    """Two in the left well, two in the right one: each well has one search to its end, and both are reported."""
    starts = np.array([[-1.6], [1.6], [-0.3], [0.4]])
    alone = minimize(two_wells, starts, batch=batch, drop=False)
    together = minimize(two_wells, starts, batch=batch, drop=False, join=3.0)
    np.testing.assert_allclose(together.info["x"], alone.info["x"], atol=1e-5)
    assert set(together.info["statuses"]) == {"converged"}
    if not batch:  # in step, all may end at the same time
        assert "2 of 4 starts came to the minimum of another" in together.certificate.notes
        assert np.sum(together.info["evaluations"]) < np.sum(alone.info["evaluations"])


def test_joining_saves_evaluations_on_a_curved_valley():
    starts = np.random.default_rng(0).normal(size=(6, 3))
    alone = minimize(rosenbrock, starts, shared=5.0, batch=False, drop=False)
    together = minimize(rosenbrock, starts, shared=5.0, batch=False, drop=False, join=3.0)
    assert np.sum(together.info["evaluations"]) < 0.8 * np.sum(alone.info["evaluations"])
    np.testing.assert_allclose(together.value.x, np.ones(3), atol=1e-4)


def bowl(x, shared, own):
    return jnp.sum(jnp.cosh(shared * x)) + own * x[0] * x[1]


def test_curvature_is_that_of_automatic_differentiation():
    x, shared, own = np.array([0.2, -0.4, 0.1]), np.array([1.0, 2.0, 0.5]), np.array(3.0)
    found = curvature(bowl, x, shared=shared, own=own, step=1e-4)
    np.testing.assert_allclose(found, jax.hessian(bowl)(x, shared, own), rtol=1e-7, atol=1e-7)


def test_curvature_where_there_is_no_gradient_is_not_a_number():
    assert np.all(np.isnan(curvature(lambda x, shared, own: jnp.sqrt(x[0]), np.array([-1.0]))))
