"""Plain-Python drivers behind the Makefile; CONTRIBUTING.md lists them."""
