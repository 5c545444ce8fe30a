"""Gaussian-process regression and classification."""

from credo.models.gp.classifier import GPClassifier
from credo.models.gp.functions import FunctionRegressor
from credo.models.gp.multi_output import MultiOutputGPRegressor
from credo.models.gp.paths import FunctionPaths
from credo.models.gp.regressor import GPRegressor
from credo.models.gp.scaling import Standardization
from credo.models.gp.teacher_student import TeacherStudent, teacher_student

__all__ = [
    "FunctionPaths",
    "FunctionRegressor",
    "GPClassifier",
    "GPRegressor",
    "MultiOutputGPRegressor",
    "Standardization",
    "TeacherStudent",
    "teacher_student",
]
