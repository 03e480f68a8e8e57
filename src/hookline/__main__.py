"""`python -m hookline`."""

import sys

from hookline.cli.main import entry

if __name__ == "__main__":
    sys.exit(entry())
