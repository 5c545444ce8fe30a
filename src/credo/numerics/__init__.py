"""The ground: positive-definite linear algebra, parameters, minimizers, quadrature, certificates. It knows no model."""
