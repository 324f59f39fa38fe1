"""The commands ``figures`` and ``figure``."""

import argparse
import sys
from pathlib import Path
from typing import Any

from toolkit.catalogue.check import compare_all
from toolkit.catalogue.files import write_files
from toolkit.catalogue.recipes import Recipe, find_recipe, recipes

Subparsers = Any  # argparse keeps the class of its subparsers private


def add_parsers(commands: Subparsers) -> None:
    """Add both commands to the command line."""
    listing = commands.add_parser("figures", help="list every figure, or check them")
    listing.add_argument(
        "--check", action="store_true", help="recompute all; exit 1 where one differs"
    )
    listing.set_defaults(run=run_figures)
    single = commands.add_parser(
        "figure",
        help="write one figure: image, data, settings, citation",
        description="Write one figure to files. Its settings are options of their own: "
        "`python -m toolkit figure 11.1 --help` lists them.",
        add_help=False,
    )
    single.add_argument("number", nargs="?", help="as cited, e.g. 11.1")
    single.set_defaults(run=run_figure, takes_rest=True)


def run_figures(options: argparse.Namespace, _: list[str]) -> int:
    """List the figures, or check them all."""
    if options.check:
        return _check()
    for recipe in recipes().values():
        print(f"{recipe.number:8} {recipe.title}")
    return 0


def run_figure(options: argparse.Namespace, rest: list[str]) -> int:
    """Write one figure, with the settings given."""
    if options.number is None:
        raise ValueError("name a figure, e.g. `figure 11.1`; `figures` lists them")
    recipe = find_recipe(options.number)
    parser = _settings_parser(recipe)
    given = vars(parser.parse_args(rest))
    folder = Path(given.pop("out"))
    changed = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
        if value is not None
    }
    figure = recipe.figure(**changed)
    for path in write_files(recipe, figure, changed, folder):
        print(path)
    return 0


def _settings_parser(recipe: Recipe) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m toolkit figure {recipe.number}", description=recipe.title
    )
    parser.add_argument("--out", default=".", help="folder to write to (default: here)")
    for name, (kind, several) in recipe.setting_types().items():
        default = recipe.settings[name]
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=kind,
            nargs="+" if several else None,
            help=f"default: {' '.join(map(str, default)) if several else default}",
        )
    return parser


def _check() -> int:
    differ = 0
    print(f"{'figure':8} {'number':52} {'stored':>12} {'computed':>12}  digits")
    for comparisons in compare_all():
        for c in comparisons:
            verdict = "" if c.agrees else "  DIFFERS"
            differ += not c.agrees
            print(
                f"{c.figure:8} {c.name[:52]:52} {c.stored:12.6g} {c.computed:12.6g}  "
                f"{c.digits}{verdict}"
            )
    if differ:
        print(f"{differ} numbers differ from the stored ones", file=sys.stderr)
    return 1 if differ else 0
