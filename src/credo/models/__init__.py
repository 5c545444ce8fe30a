"""What a user fits: scikit-learn style estimators that wire a prior to an engine."""
