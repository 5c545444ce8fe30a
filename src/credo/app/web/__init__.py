"""The web page of credo: its door, the child process that does the work, and what is kept between two clicks."""
