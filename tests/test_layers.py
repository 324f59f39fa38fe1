"""The map in the package's docstring is true, and what computes does not draw."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toolkit

PACKAGE = Path(toolkit.__file__).parent
LAYERS = {
    name: int(layer)
    for layer, name in re.findall(r"^(\d+)\s+``(\w+)``", toolkit.__doc__, re.MULTILINE)
}
FILES = sorted(PACKAGE.rglob("*.py"))
DRAWING = {"drawn", "display", "figures", "catalogue", "__main__"}


def module_of(file: Path) -> str:
    """Return the name in the table: the module, or the package it belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(file: Path) -> set[str]:
    """Return the dotted names that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names.add(node.module)
            if node.module == "toolkit":
                names |= {f"toolkit.{alias.name}" for alias in node.names}
    return names


def test_the_table_lists_every_module():
    found = {module_of(file) for file in FILES} - {"__init__"}
    assert found <= LAYERS.keys(), found - LAYERS.keys()


def test_the_table_lists_no_module_that_is_not_there():
    found = {module_of(file) for file in FILES}
    assert LAYERS.keys() <= found, LAYERS.keys() - found


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_a_module_imports_only_from_layers_below_its_own(file):
    importer = module_of(file)
    for name in imported(file):
        parts = name.split(".")
        if parts[0] != "toolkit" or len(parts) == 1 or parts[1] == importer:
            continue
        if parts[1] not in LAYERS:  # a name defined in toolkit/__init__.py
            continue
        assert importer in LAYERS, f"{importer} is not in the table"
        assert LAYERS[parts[1]] < LAYERS[importer], f"{importer} imports {parts[1]}"


def test_only_the_drawing_modules_import_matplotlib():
    importers = {
        module_of(file)
        for file in FILES
        if any(name.split(".")[0] == "matplotlib" for name in imported(file))
    }
    assert importers <= {"figures", "display", "drawn"}


def test_importing_the_toolkit_and_all_that_computes_does_not_load_matplotlib():
    computing = sorted({module_of(file) for file in FILES} - DRAWING - {"__init__"})
    imports = "".join(f"import toolkit.{name}\n" for name in computing)
    code = f"import sys\nimport toolkit\n{imports}"
    code += "loaded = [m for m in sys.modules if m.split('.')[0] == 'matplotlib']\n"
    code += "assert not loaded, loaded"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
