"""`python -m carerails`."""

from carerails.cli import main

main()
