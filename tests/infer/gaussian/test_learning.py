"""What is done about the parameters, and what the certificate says of it."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import NotPositiveDefiniteError, NumericalError
from credo.infer.gaussian.learning import _preferred, kept_draws, learn_process, with_factor
from credo.infer.gaussian.means import ConstantMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process
from credo.infer.gaussian.selection import Optimum
from credo.kernels import RBF, Sigmoid
from credo.numerics.certificate import Certificate, Solution
from credo.numerics.constraints import Fixed
from credo.numerics.parameters import flatten
from textbook_gp import Textbook, rbf

PROCESS = Process(RBF(), ZeroMean(), ConstantNoise())


def seeded():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(20, 1))
    return observations(X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=20))[0]


def test_given_parameters_are_kept(data):
    solution = learn_process(PROCESS, data, None, rng=seeded())
    np.testing.assert_array_equal(flatten(solution.value.posterior.process).vector, flatten(PROCESS).vector)
    assert (solution.value.optima, solution.value.draws, solution.value.average) == ((), None, None)
    assert solution.certificate.kind == "exact"
    assert not solution.certificate.notes


def test_nothing_free_is_nothing_to_sample(data):
    held = Process(RBF(Fixed(1.0), Fixed(1.0)), ZeroMean(), ConstantNoise(Fixed(0.1)))
    for inference in ("map", "mcmc"):
        solution = learn_process(held, data, inference, rng=seeded())
        assert solution.value.average is None
        assert solution.certificate.kind == "exact"


def test_optimized_parameters_are_noted(data):
    """Given them the posterior is exact; that they are one optimum is a note."""
    for inference in ("map", "ml"):
        solution = learn_process(PROCESS, data, inference, rng=seeded())
        best = solution.value.optima[0]
        np.testing.assert_array_equal(flatten(best.process).vector, flatten(solution.value.posterior.process).vector)
        assert (solution.certificate.kind, solution.certificate.converged) == ("exact", True)
        assert "local optimum" in solution.certificate.notes[0]
        assert solution.certificate.condition > 1
    np.testing.assert_allclose(best.objective, solution.value.posterior.evidence.total, rtol=1e-10)  # of "ml"


def test_of_modes_that_are_about_as_high_the_better_predictor_is_taken(data):
    X, y = np.asarray(data.X)[:20], np.asarray(data.y)[:20]
    right, wrong = (Process(RBF(1.0, scale), ZeroMean(), ConstantNoise(0.1)) for scale in (0.7, 0.05))

    def left_out(process):
        k = lambda A, B: rbf(A, B, 1.0, float(process.kernel.lengthscale))  # noqa: E731
        means, variances = np.transpose([Textbook(k, X, y, 0.1).leave_one_out(i) for i in range(20)])
        return np.sum(stats.norm.logpdf(y, means, np.sqrt(variances)))

    assert left_out(right) > left_out(wrong) + 5.0
    higher, lower, far = Optimum(wrong, -10.0, 0), Optimum(right, -10.9, 1), Optimum(right, -11.1, 2)
    assert _preferred((higher, lower, far), data, 1.0) == (lower, higher, far)
    assert _preferred((higher, far), data, 1.0) == (higher, far)


def test_a_lower_mode_that_was_taken_is_noted(data, monkeypatch):
    best = learn_process(PROCESS, data, "ml", rng=seeded()).value.optima[0].process
    worse = Optimum(Process(RBF(1.0, 0.05), ZeroMean(), ConstantNoise(0.1)), -1.0, 0)
    two = Solution((worse, Optimum(best, -1.5, 1)), Certificate("exact"), {})
    monkeypatch.setattr("credo.infer.gaussian.learning.select", lambda *_, **__: two)
    assert learn_process(PROCESS, data, "ml", rng=seeded()).value.optima[0] is worse
    taken = learn_process(PROCESS, data, "map", rng=seeded())
    assert taken.value.optima[0].process is best
    assert "another optimum is 0.5 nats higher" in taken.certificate.notes[1]


def test_the_prior_pulls(data):
    """The mode has less evidence and more prior: by the definitions of both, and strictly."""
    chosen, likeliest = (learn_process(PROCESS, data, way, rng=seeded()).value.optima[0] for way in ("map", "ml"))
    X, y = np.asarray(data.X)[:20], np.asarray(data.y)[:20]

    def evidence(process):
        k = lambda A, B: rbf(A, B, float(process.kernel.variance), float(process.kernel.lengthscale))  # noqa: E731
        return Textbook(k, X, y, float(process.noise.level)).log_evidence()

    def prior(process):
        variance, lengthscale, noise = np.asarray(flatten(process).vector)
        return -0.5 * ((variance / 1.5) ** 2 + ((lengthscale - 0.5) / 1.5) ** 2 + ((noise + 3.0) / 2.5) ** 2)

    a, b = chosen.process, likeliest.process
    assert evidence(a) < evidence(b)
    assert evidence(a) + prior(a) > evidence(b) + prior(b)
    np.testing.assert_allclose(evidence(b), likeliest.objective, rtol=1e-9)


@pytest.mark.parametrize("targets", [np.zeros(20), np.full(20, 2.5)], ids=["zero", "met by the mean"])
def test_evidence_without_a_maximum_is_said(data, targets):
    """With nothing left to explain every variance runs to zero, and the priors are what stops it."""
    same = observations(np.asarray(data.X)[:20], targets)[0]
    process = PROCESS if not targets[0] else Process(RBF(), ConstantMean(2.5), ConstantNoise())
    with pytest.raises(NumericalError, match=r"grows without bound.*targets are all equal.*map"):
        learn_process(process, same, "ml", rng=seeded())
    posterior = learn_process(PROCESS, same, "map", rng=seeded()).value.posterior
    assert np.all(posterior.predict(data.X).std > 0)


@pytest.mark.filterwarnings("ignore::credo.errors.IndefiniteKernelWarning")
def test_indefinite_kernel_is_noted_and_a_failed_factor_raises(data):
    indefinite = Process(Sigmoid(5.0, -1.0), ZeroMean(), NoNoise())
    posterior = condition(indefinite, data)
    with pytest.raises(
        NotPositiveDefiniteError, match=r"here: the covariance .* not positive definite.*no valid kernel"
    ):
        with_factor(Certificate("exact"), posterior, "here")
    slightly = condition(Process(Sigmoid(1e-4, 0.0), ZeroMean(), NoNoise()), data)
    certificate = with_factor(Certificate("exact"), slightly, "here")
    assert certificate.jitter > 0
    assert "not positive semi-definite" in certificate.notes[0]
    assert with_factor(certificate, slightly, "here").notes == certificate.notes


def test_few_draws_are_kept_of_many_rows():
    """All while their factors fit into 128 MiB, and 32 at least."""
    assert kept_draws(12) == kept_draws(129) == 1000
    assert kept_draws(256) == 256
    assert kept_draws(100_000) == 32


@pytest.mark.slow
def test_draws_become_an_average(data):
    solution = learn_process(PROCESS, data, "mcmc", rng=seeded(), n_restarts=0)
    learned = solution.value
    assert learned.average.draws == 1000
    assert learned.draws.names == ("kernel.variance", "kernel.lengthscale", "noise.level")
    drawn = {tuple(row) for row in np.asarray(learned.draws.flat)}
    for i in (0, 31):
        member = learned.average.member(i)
        free = np.log([float(member.process.kernel.variance), float(member.process.kernel.lengthscale),
                       float(member.process.noise.level)])  # fmt: skip
        assert np.min([np.max(np.abs(free - np.array(row))) for row in drawn]) < 1e-12
    assert solution.certificate.kind == "estimated"
    assert "1000 of 1000 draws" in " ".join(solution.certificate.notes)
    worst = float(np.max(learned.average.members.factor.info.condition))
    np.testing.assert_allclose(solution.certificate.condition, worst, rtol=1e-12)
    assert jnp.isfinite(learned.posterior.evidence.total)
