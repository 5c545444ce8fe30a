"""What goes wrong is said in credo's words, and changes nothing."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils._param_validation import InvalidParameterError

from credo.errors import CredoError, InputError
from credo.models import LMS, BayesianLinearRegression, Ridge
from credo.represent.validation import ParameterError, checked_training, checked_weightings, in_credos_words, unchanged


def test_scikit_learns_words_are_kept_and_a_cause_is_added():
    with (
        pytest.raises(
            InputError, match=r"^Who: Input X contains NaN\. Missing values are in the table\. Drop or impute"
        ),
        in_credos_words("Who"),
    ):
        raise ValueError("Input X contains NaN")


def test_credos_own_errors_pass_through():
    original = InputError("Inner", "is wrong")
    with pytest.raises(InputError) as failure, in_credos_words("Outer"):
        raise original
    assert failure.value is original


def test_parameter_errors_are_both_credos_and_scikit_learns():
    with pytest.raises(ParameterError, match="prior_scale") as failure:
        BayesianLinearRegression(prior_scale=-1.0).fit([[0.0], [1.0]], [0.0, 1.0])
    assert isinstance(failure.value, CredoError)
    assert isinstance(failure.value, InvalidParameterError)


class Thing:
    def __init__(self):
        self.kept = 1


def test_unchanged_on_failure_restores_even_new_attributes():
    thing = Thing()

    def fail():
        with unchanged(thing, only_on_failure=True):
            thing.kept, thing.fresh = 2, 3
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert vars(thing) == {"kept": 1}


def test_unchanged_restores_after_success_unless_told_otherwise():
    always, on_failure = Thing(), Thing()
    with unchanged(always), unchanged(on_failure, only_on_failure=True):
        always.kept = on_failure.kept = 2
    assert (always.kept, on_failure.kept) == (1, 2)


def test_integers_become_float64():
    learned = BayesianLinearRegression().fit(np.arange(8)[:, None], np.arange(8) % 3)
    assert learned.coef_.dtype == np.float64


def test_sparse_rows_come_in_one_form_or_are_refused():
    twice = sparse.coo_matrix((np.ones(3), ([0, 0, 1], [0, 0, 1])), shape=(4, 2))  # an entry that is there twice
    rows = checked_training(LMS(), twice, np.arange(4.0), None, numeric_y=True)[0]
    assert isinstance(rows, sparse.csr_array)
    assert rows.has_canonical_format
    assert rows.toarray().tolist() == twice.toarray().tolist()
    with pytest.raises(InputError, match=r"BayesianLinearRegression: Sparse data was passed for X, of shape \(4, 2\)"):
        checked_training(BayesianLinearRegression(), twice, np.arange(4.0), None, numeric_y=True)


def test_sparse_rows_are_made_dense_up_to_a_stated_size():
    thin = sparse.coo_matrix((np.ones(3), ([0, 0, 1], [0, 0, 1])), shape=(4, 2))
    rows = checked_training(Ridge(), thin, np.arange(4.0), None, numeric_y=True)[0]
    assert isinstance(rows, np.ndarray)
    assert rows.tolist() == thin.toarray().tolist()
    wide = sparse.csr_array((40, 2**24))
    with pytest.raises(InputError, match=r"Ridge: sparse X of shape \(40, 16777216\) takes 5 GiB"):
        Ridge().fit(wide, np.arange(40.0))


@pytest.mark.parametrize(("bad", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-1.0, "[Nn]egative"), (0.0, "zero")])
def test_each_weighting_is_checked(bad, what):
    W = np.ones((3, 4))
    W[1] = bad
    with pytest.raises(InputError, match=what):
        checked_weightings("Who", W, np.ones((4, 1)))
    assert checked_weightings("Who", [1, 0, 2, 0], np.ones((4, 1))).tolist() == [[1.0, 0.0, 2.0, 0.0]]
