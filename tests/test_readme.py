import doctest
import re
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_code_prints_what_the_readme_shows():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 3
    assert failed == 0


def test_the_readme_names_the_version_it_describes():
    assert f"Version {metadata.version('what-rl-does-toolkit')}" in README


def test_every_local_link_and_picture_exists():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    local = [target for target in targets if "://" not in target]
    assert "docs/images/figure-11-1.png" in local
    assert [target for target in local if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("target", ["book", "test", "read", "live", "browser-python"])
def test_the_commands_shown_are_in_the_makefile(target):
    assert f"make {target}" in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)
