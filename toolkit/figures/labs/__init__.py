"""Figures of the laboratories, one module a laboratory."""
