"""The command line. No logic that a library user would miss."""
