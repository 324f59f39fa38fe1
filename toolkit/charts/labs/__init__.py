"""Charts with sliders of the laboratories, one module a laboratory."""
