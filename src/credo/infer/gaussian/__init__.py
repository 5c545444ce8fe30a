"""Gaussian processes: observations, evidence, conditioning, leave-one-out, choice of parameters."""

from credo.infer.gaussian.averaged import AveragedPosterior, averaged
from credo.infer.gaussian.classes import Approximation, ClassPosterior, ClassProbabilities, Labels, learn_classes
from credo.infer.gaussian.evidence import Evidence, log_evidence
from credo.infer.gaussian.learning import Inference, Learned, learn_process
from credo.infer.gaussian.loo import leave_one_out, sequential_log_densities
from credo.infer.gaussian.means import BasisMean, ConstantMean, LinearMean, Mean, ModuleMean, ZeroMean
from credo.infer.gaussian.observations import Observations, observations
from credo.infer.gaussian.outputs import OutputsPosterior, SeparateOutputs, SharedOutputs
from credo.infer.gaussian.paths import Paths, sample_paths
from credo.infer.gaussian.posterior import GPPosterior, condition
from credo.infer.gaussian.process import ConstantNoise, Noise, NoNoise, OutputNoise, Process
from credo.infer.gaussian.selection import Optimum, Task, log_posterior, select
from credo.infer.gaussian.surface import EvidenceSurface, evidence_surface
from credo.infer.gaussian.uncertain_inputs import variance_over_inputs
from credo.infer.gaussian.varying_noise import VaryingNoise, varying_noise

__all__ = [
    "Approximation",
    "AveragedPosterior",
    "BasisMean",
    "ClassPosterior",
    "ClassProbabilities",
    "ConstantMean",
    "ConstantNoise",
    "Evidence",
    "EvidenceSurface",
    "GPPosterior",
    "Inference",
    "Labels",
    "Learned",
    "LinearMean",
    "Mean",
    "ModuleMean",
    "NoNoise",
    "Noise",
    "Observations",
    "Optimum",
    "OutputNoise",
    "OutputsPosterior",
    "Paths",
    "Process",
    "SeparateOutputs",
    "SharedOutputs",
    "Task",
    "VaryingNoise",
    "ZeroMean",
    "averaged",
    "condition",
    "evidence_surface",
    "learn_classes",
    "learn_process",
    "leave_one_out",
    "log_evidence",
    "log_posterior",
    "observations",
    "sample_paths",
    "select",
    "sequential_log_densities",
    "variance_over_inputs",
    "varying_noise",
]
