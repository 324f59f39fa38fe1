"""What a page shows: figures in the page's colours, tables, numbers for its prose."""

import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNDATED: dict[str, dict[str, str | None]] = {  # so that a rebuild gives the same bytes
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None, "ModDate": None},
}
PREVIEW_ROWS = 6  # rows of each curve that the text form of a figure shows


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel:
    """One drawing of a figure.

    Attributes
    ----------
    draw
        Draws onto the axes it is given.
    size
        Width and height, in inches.
    """

    draw: Callable[["Axes"], object]
    size: tuple[float, float] = (3.4, 2.6)


@dataclass(frozen=True, eq=False, kw_only=True)
class BookFigure:
    """A numbered figure of the book: drawings, the numbers drawn, and what one sees.

    In a notebook it shows itself as inline SVG whose text is text and whose ink is the
    page's own colour; its text form is the description and a rounded table, which is
    what the stored notebooks are compared by.

    Attributes
    ----------
    number
        As cited, e.g. ``"11.1"``.
    alt
        What one sees, with the numbers, for a reader who cannot see it.
    panels
        The drawings, left to right; they wrap on a narrow page.
    table
        The numbers drawn: equally long columns. Columns of text name the curve, the
        others hold its points. Units stand in the column's name.
    numbers
        The numbers a reader would quote, by name; see :meth:`summary` for the default.
    """

    number: str
    alt: str
    panels: tuple[Panel, ...]
    table: Mapping[str, np.ndarray]
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_equally_long("table", self.table)

    def images(self) -> dict[str, bytes]:
        """Return the figure as files, all panels in a row: svg, png and pdf."""
        import matplotlib.pyplot as plt

        from toolkit.style import STYLE_FILE

        widths = [panel.size[0] for panel in self.panels]
        size = (sum(widths), max(panel.size[1] for panel in self.panels))
        found = {}
        with plt.style.context([STYLE_FILE, {"svg.hashsalt": self.number}]):
            drawing, grid = plt.subplots(
                ncols=len(widths), figsize=size, width_ratios=widths, squeeze=False
            )
            for panel, ax in zip(self.panels, grid[0], strict=True):
                panel.draw(ax)
            for ending, undated in _UNDATED.items():
                buffer = io.BytesIO()
                drawing.savefig(
                    buffer, format=ending, dpi=200, facecolor="white", metadata=undated
                )
                found[ending] = buffer.getvalue()
        plt.close(drawing)
        return found

    def svg(self) -> list[str]:
        """Return one inline SVG element per panel."""
        return [
            _inline_svg(_draw_alone(panel), f"figure-{self.number}-{i}")
            for i, panel in enumerate(self.panels)
        ]

    def curves(self) -> dict[tuple[str, ...], dict[str, np.ndarray]]:
        """Return the table's columns of numbers, curve by curve."""
        return curves_of(self.table)

    def summary(self) -> dict[str, float]:
        """Return the numbers to quote: those given, or each curve's ends and mean."""
        if self.numbers:
            return {name: float(number) for name, number in self.numbers.items()}
        found = {}
        for key, columns in self.curves().items():
            name, values = list(columns.items())[-1]
            curve = ", ".join([*key, name])
            found[f"{curve}, first"] = float(values[0])
            found[f"{curve}, last"] = float(values[-1])
            found[f"{curve}, mean"] = float(values.mean())
        return found

    def text(self) -> str:
        """Return the description, a rounded table, and checksums of all numbers."""
        lines = [f"Figure {self.number}. {self.alt}", *preview(self.table)]
        return "\n".join([*lines, *self._checksums()])

    def _checksums(self) -> list[str]:
        """Return a line for the whole table and one for what each panel draws."""
        from toolkit.drawn import checksum, drawn_on

        n_rows = len(next(iter(self.table.values())))
        lines = [f"checksum of {n_rows} rows: {checksum(self.table.values())}"]
        for i, panel in enumerate(self.panels, start=1):
            drawn = drawn_on(_draw_alone(panel).axes[0])
            kinds = ", ".join(f"{len(p)} {kind}" for kind, p in drawn.items() if p)
            parts = [part for some in drawn.values() for part in some]
            lines.append(f"checksum of panel {i}, {kinds}: {checksum(parts)}")
        return lines

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        panels = "".join(
            f'<div class="book-figure-panel">{svg}</div>' for svg in self.svg()
        )
        alt = html.escape(f"Figure {self.number}. {self.alt}")
        opening = f'<div class="book-figure" role="img" aria-label="{alt}">'
        return {"text/html": f"{opening}{panels}</div>", "text/plain": self.text()}


@dataclass(frozen=True, eq=False, kw_only=True)
class BookTable:
    """A small table on a page.

    Attributes
    ----------
    columns
        Equally long columns; units stand in the column's name.
    digits
        Decimals shown of the numbers.
    """

    columns: Mapping[str, Sequence[Any] | np.ndarray]
    digits: int = 3

    def __post_init__(self) -> None:
        _check_equally_long("columns", self.columns)
        if not all(name.strip() for name in self.columns):  # a header to read out
            raise ValueError(f"columns must have names, but they are {[*self.columns]}")

    def text(self) -> str:
        """Return the table as aligned text."""
        return "\n".join(_align(self._cells()))

    def _cells(self) -> list[list[str]]:
        shown = [[self._show(v) for v in column] for column in self.columns.values()]
        return [list(self.columns), *(list(r) for r in zip(*shown, strict=True))]

    def _show(self, value: Any) -> str:
        value = np.asarray(value).item()
        if isinstance(value, float):
            return f"{value:z,.{self.digits}f}"  # z: no -0.000
        return f"{value:,}" if isinstance(value, int) else str(value)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        header, *rows = self._cells()
        numeric = [not isinstance(next(iter(c)), str) for c in self.columns.values()]
        head = _row(header, "th", numeric)
        body = "".join(_row(row, "td", numeric) for row in rows)
        table = f'<table class="book-table"><thead>{head}</thead><tbody>{body}</tbody>'
        return {
            "text/html": f'<div class="book-table-frame">{table}</table></div>',
            "text/plain": self.text(),
        }


def stack(
    keys: Sequence[str],
    curves: Mapping[tuple[str, ...], Mapping[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """Return one long table of several curves, named by columns of text.

    Parameters
    ----------
    keys
        Names of the text columns.
    curves
        For each curve its text, one entry per key, and its columns of numbers; all
        curves have the same columns.

    Raises
    ------
    ValueError
        If a curve has no point, columns of several lengths, or other names than the
        first curve.

    Examples
    --------
    >>> a, b = np.array([1, 2]), np.array([3])
    >>> stack(["curve"], {("a",): {"x": a}, ("b",): {"x": b}})
    {'curve': array(['a', 'a', 'b'], dtype='<U1'), 'x': array([1, 2, 3])}
    """
    names = next(iter(curves.values())).keys()
    for key, columns in curves.items():
        _check_equally_long(f"the curve {key}", columns)
        if len(key) != len(keys) or columns.keys() != names:
            raise ValueError(
                f"curves must be named by {list(keys)} and hold {list(names)}, but "
                f"{key} holds {list(columns)}"
            )
    points = {key: len(next(iter(columns.values()))) for key, columns in curves.items()}
    table = {
        name: np.array([key[i] for key, n in points.items() for _ in range(n)])
        for i, name in enumerate(keys)
    }
    for name in names:
        table[name] = np.concatenate([columns[name] for columns in curves.values()])
    return table


def curves_of(
    table: Mapping[str, np.ndarray],
) -> dict[tuple[str, ...], dict[str, np.ndarray]]:
    """Return a table's columns of numbers, curve by curve: the opposite of `stack`.

    Parameters
    ----------
    table
        Equally long columns; those of text name the curve.

    Examples
    --------
    >>> table = {"curve": np.array(["a", "b", "a"]), "y": np.array([1, 2, 3])}
    >>> curves_of(table)
    {('a',): {'y': array([1, 3])}, ('b',): {'y': array([2])}}
    """
    columns = {name: np.asarray(column) for name, column in table.items()}
    texts = [c for c in columns.values() if c.dtype.kind == "U"]
    numeric = {n: c for n, c in columns.items() if c.dtype.kind != "U"}
    n_rows = len(next(iter(columns.values())))
    keys = [tuple(str(c[i]) for c in texts) for i in range(n_rows)]
    at = {key: np.array([k == key for k in keys]) for key in dict.fromkeys(keys)}
    return {key: {n: c[rows] for n, c in numeric.items()} for key, rows in at.items()}


def preview(table: Mapping[str, np.ndarray]) -> list[str]:
    """Return aligned lines: a few rows of each curve, evenly spaced, and their mean.

    Parameters
    ----------
    table
        Equally long columns; those of text name the curve.
    """
    texts = [n for n, c in table.items() if np.asarray(c).dtype.kind == "U"]
    rows = [[*texts, *(name for name in table if name not in texts)]]
    for key, columns in curves_of(table).items():
        n_points = len(next(iter(columns.values()), ()))
        shown = np.linspace(0, n_points - 1, min(PREVIEW_ROWS, n_points)).astype(int)
        rows += [[*key, *(f"{c[i]:z.3g}" for c in columns.values())] for i in shown]
        rows.append([*key, *(f"mean {c.mean():z.3g}" for c in columns.values())])
    return _align(rows)


def glue_numbers(**numbers: str) -> None:
    """Hand numbers to the page's sentences: each is shown by ``{glue:text}`its name```.

    Parameters
    ----------
    numbers
        Text to print, already rounded, by name.

    Raises
    ------
    TypeError
        If one is not text: rounding is the author's choice, not the renderer's.
    """
    from IPython.display import display

    for name, number in numbers.items():
        if not isinstance(number, str):
            raise TypeError(f"{name} must be rounded text, but it is {number!r}")
        display(  # type: ignore[no-untyped-call]
            {f"{_GLUE_PREFIX}text/plain": repr(number)},
            raw=True,
            metadata={"scrapbook": {"name": name, "mime_prefix": _GLUE_PREFIX}},
        )


_GLUE_PREFIX = "application/papermill.record/"  # where MyST-NB looks for glued output


def _check_equally_long(name: str, columns: Mapping[str, Any]) -> None:
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        raise ValueError(f"{name} must have equally long columns, but has {lengths}")


def _draw_alone(panel: Panel) -> "Figure":
    import matplotlib.pyplot as plt

    from toolkit.style import STYLE_FILE

    with plt.style.context(STYLE_FILE):
        figure, ax = plt.subplots(figsize=panel.size)
        panel.draw(ax)
    plt.close(figure)  # or the notebook shows it a second time
    return figure


def _inline_svg(figure: "Figure", salt: str) -> str:
    import matplotlib.pyplot as plt

    from toolkit.style import INK, STYLE_FILE

    buffer = io.StringIO()
    with plt.style.context([STYLE_FILE, {"svg.hashsalt": salt}]):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1">', svg)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\1{salt}-", svg)  # one page, many SVGs
    svg = re.sub(r"font-family: [^;\"]*", "font-family: inherit", svg)
    return svg.replace(INK, "currentColor")


def _row(cells: list[str], tag: str, numeric: list[bool]) -> str:
    shown = (
        f"<{tag}{' class=number' * right}>{html.escape(cell)}</{tag}>"
        for cell, right in zip(cells, numeric, strict=True)
    )
    return f"<tr>{''.join(shown)}</tr>"


def _align(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
