"""`python -m credo.app` is the `credo` command."""

from credo.app.command import main

if __name__ == "__main__":
    main()
