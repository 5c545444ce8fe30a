"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""
