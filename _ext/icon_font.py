r"""Leave out of the theme's icon font what no page shows.

The theme sends a font of some 1,400 icons with the first page; the book shows a few. An
icon is kept if a page, script or style sheet of the built site names it, by its class
(``fa-arrow-up``) or by its character (``\f062``).
"""

import io
import re
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

FONT = "fa-solid-900"
RULE = re.compile(r"((?:\.fa-[a-z0-9-]+:{1,2}before,?)+)\{content:\"\\([0-9a-f]+)\"")
CLASS = re.compile(r"\bfa-([a-z0-9-]+)")
CHARACTER = re.compile(r"\\([ef][0-9a-f]{3})\b|&#x([ef][0-9a-f]{3});|([\ue000-\uf8ff])")


def characters_by_name(sheet: str) -> dict[str, int]:
    r"""Return the character of every icon that the font's own style sheet names.

    >>> characters_by_name('.fa-plus:before,.fa-add:before{content:"\\2b"}')
    {'plus': 43, 'add': 43}
    """
    return {
        name: int(code, 16)
        for names, code in RULE.findall(sheet)
        for name in CLASS.findall(names)
    }


def characters_shown(text: str, names: dict[str, int]) -> set[int]:
    """Return the icons that a page, script or style sheet names."""
    by_class = {names[name] for name in CLASS.findall(text) if name in names}
    written = {"".join(found) for found in CHARACTER.findall(text)}
    return by_class | {ord(w) if len(w) == 1 else int(w, 16) for w in written}


def reduced(font: Path, characters: set[int]) -> bytes:
    """Return a font with these characters only, as WOFF2."""
    kept = TTFont(font, recalcTimestamp=False)
    options = Options()
    options.layout_features = []
    options.hinting = False
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(kept)
    kept.flavor = "woff2"
    made = io.BytesIO()
    kept.save(made)
    return made.getvalue()


def reduce_icons(app: Sphinx, exception: Exception | None) -> None:
    """Replace the font in the built site."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for font in site.glob(f"_static/vendor/fontawesome/*/webfonts/{FONT}.woff2"):
        own = font.parent.parent
        names = characters_by_name((own / "css" / "all.min.css").read_text())
        texts = [
            path.read_text(errors="ignore")
            for path in sorted(site.rglob("*"))
            if path.suffix in {".html", ".css", ".js"}
            and not path.is_relative_to(own)
            and "mathjax" not in path.parts
        ]
        shown = set().union(*(characters_shown(text, names) for text in texts))
        font.write_bytes(reduced(font.with_suffix(".ttf"), shown))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step, after every page and style sheet is there."""
    app.connect("build-finished", reduce_icons, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
