"""Draw results: one module a section. Nothing here computes what it draws."""
