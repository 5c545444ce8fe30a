"""Generalized linear models: families, links, Newton's method."""

from credo.infer.glm.design import LinearDesign
from credo.infer.glm.families import FAMILIES, Family, as_family
from credo.infer.glm.fit import GLMFit, fit_glm
from credo.infer.glm.links import LINKS, Link, as_link
from credo.infer.glm.newton import Newton, newton
from credo.infer.glm.problem import GLMProblem

__all__ = [
    "FAMILIES",
    "LINKS",
    "Family",
    "GLMFit",
    "GLMProblem",
    "LinearDesign",
    "Link",
    "Newton",
    "as_family",
    "as_link",
    "fit_glm",
    "newton",
]
