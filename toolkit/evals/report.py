"""A comparison as one HTML page that needs nothing else: no network, no other file."""

import html
from collections.abc import Mapping, Sequence

from toolkit.evals.comparison import Comparison
from toolkit.evals.svg import Line, line_drawing
from toolkit.evals.words import summary_table, verdict
from toolkit.style import COLOUR

MOST_LISTED = 100  # problems in the table

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --page: #fff; --rule: #d0d0d0;
  --link: #00528a; --shade: #e8c37a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --page: #14181e; --rule: #4a4f57; --link: #7fb8e6;
    --shade: #6b5420; } }
body { font: 17px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
a { color: var(--link); }
figure { margin: 1.5rem 0; }
figcaption, .legend { font-size: .88rem; }
svg text { fill: var(--ink); font-size: 13px; }
svg .grid { stroke: var(--rule); } svg .zero { stroke: var(--ink); }
svg .shaded { fill: var(--shade); fill-opacity: .45; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem;
  padding: 0; }
.legend svg { width: 28px; height: 8px; }
.frame { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal;
  min-width: 2.5rem; }
"""

METHOD = """
<p>Curves are the unbiased estimate of Chen et al. (2021), averaged over the same
problems at every k. The band holds RL minus base at all k at once: the estimate give or
take a multiple of its standard error, the multiple being the quantile of the largest
deviation of a Gaussian curve with the same correlations. With target <em>new</em> the
standard error is over problems (the band of Yang, Zhang and Chen, 2026, widened for few
problems); with target <em>these</em> it is over samples of the same problems, which can
be told up to half the samples only. The first k below: its upper end is where the band
is below zero, its lower end where the interval for that k alone no longer excludes
it.</p>
<p>Gained and lost: observed parts are inflated by noise. <em>By chance</em> is what
they would be if no problem had changed, exactly. <em>Halves</em> tells gains from
losses on one half of the samples and measures them on the other, which is too small in
size.
<em>Corrected</em> is the split under the joint law of the two success rates that makes
the counts most likely. In expectation the truth is between halves and observed. The
probabilities of single problems are by Bayes' rule from the same law.</p>
<p>Standard errors are from benchmarks resampled problem by problem.</p>
"""

CITATION = """
<p>Chen, M. et al. (2021). Evaluating Large Language Models Trained on Code.
arXiv:2107.03374.</p>
<p>Yang, C., Zhang, X. and Chen, J. (2026). RLVR is a Kernel, Not a Function:
Statistical Inference for pass@k Crossovers. arXiv:2609.22547.</p>
<p>Antoniadis, I. (2026). Reinforcement Learning for Language Models, from First
Principles; with the companion <em>What RL actually does to a model</em>, whose
<code>toolkit.evals</code> made this page.</p>
"""


def to_html(comparison: Comparison, names: tuple[str, str] = ("base", "RL")) -> str:
    """Return a comparison as an HTML page.

    Parameters
    ----------
    comparison
        The result.
    names
        What the two tables are called, base first.
    """
    pair = comparison.pair
    title = f"{names[1]} against {names[0]}"
    said = "".join(f"<p>{html.escape(text)}</p>" for text in verdict(comparison))
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in comparison.notes)
    sections = [
        ("Verdict", said + (f"<ul>{notes}</ul>" if notes else "")),
        ("Curves", _curves(comparison)),
        ("Difference", _difference(comparison)),
        ("Gained and lost", _split(comparison)),
        ("Problems probably lost", _lost(comparison)),
        ("By group", _groups(comparison)),
        ("Method", METHOD),
        ("To cite", CITATION),
    ]
    body = "".join(f"<h2>{name}</h2>{text}" for name, text in sections if text)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{html.escape(title)}</h1>"
        f"<p>{pair.n_problems:,} problems, k up to {comparison.curves.k[-1]}.</p>"
        f"{body}</main></body></html>\n"
    )


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{html.escape(caption)}</figcaption></figure>"


def _curves(comparison: Comparison) -> str:
    curves = comparison.curves
    lines = [
        Line(name="base", k=curves.k, y=curves.base, colour=COLOUR["base"],
             low=curves.base_low, high=curves.base_high),
        Line(name="RL", k=curves.k, y=curves.rl, colour=COLOUR["RL"], dash="8 3",
             low=curves.rl_low, high=curves.rl_high),
    ]  # fmt: skip
    alt = (
        f"pass@k of the base from {curves.base[0]:.3f} to {curves.base[-1]:.3f} and of "
        f"RL from {curves.rl[0]:.3f} to {curves.rl[-1]:.3f}, "
        f"k = 1 to {curves.k[-1]}."
    )
    return _figure(
        line_drawing(lines, y_label="pass@k", alt=alt),
        "Mean pass@k of both models over the same problems.",
    )


def _difference(comparison: Comparison) -> str:
    band, found, curves = comparison.band, comparison.first_below, comparison.curves
    within = curves.difference[: len(band.k)]
    line = Line(
        name=f"RL minus base, with its {band.level:.0%} band", k=band.k, y=within,
        colour=COLOUR["RL"], low=band.low, high=band.high,
    )  # fmt: skip
    shaded = None
    if found.low is not None:
        shaded = (found.low, int(band.k[-1]) if found.high is None else found.high)
    alt = (
        f"RL minus base from {within[0]:+.3f} at k = 1 to {within[-1]:+.3f} at "
        f"k = {band.k[-1]}, where the band is {band.low[-1]:+.3f} to "
        f"{band.high[-1]:+.3f}."
    )
    drawing = line_drawing([line], y_label="RL - base", alt=alt, shaded=shaded)
    caption = "Shaded: where the first k with RL below may lie." if shaded else ""
    return _figure(drawing, caption) + _table(
        "Numbers at some k", summary_table(comparison)
    )


def _split(comparison: Comparison) -> str:
    split = comparison.split
    lines = []
    for part, error in (("gained", split.gained_error), ("lost", split.lost_error)):
        middle = getattr(split.corrected, part)
        lines.append(
            Line(name=f"{part}, corrected, with standard error", k=split.k, y=middle,
                 colour=COLOUR[part], low=middle - error, high=middle + error)
        )  # fmt: skip
        for parts, name, dash in (
            (split.observed, "observed", "8 3"),
            (split.floor, "by chance", "2 3"),
        ):
            if parts is not None:
                lines.append(
                    Line(name=f"{part}, {name}", k=split.k, y=getattr(parts, part),
                         colour=COLOUR[part], dash=dash)
                )  # fmt: skip
    alt = (
        f"At k = {split.k[-1]}, corrected: gained {split.corrected.gained[-1]:.4f}, "
        f"lost {split.corrected.lost[-1]:.4f}."
    )
    return _figure(
        line_drawing(lines, y_label="share of pass@k", alt=alt),
        "What RL gained and lost. Where observed and by chance are close, most of what "
        "one sees is noise.",
    )


def _lost(comparison: Comparison) -> str:
    changes, pair = comparison.changes, comparison.pair
    rows = changes.most_likely_lost()
    if not len(rows):
        return f"<p>None with probability 0.5 or more at k = {changes.k}.</p>"
    shown = rows[:MOST_LISTED]
    left = len(rows) - len(shown)
    table = _table(
        f"At k = {changes.k}: pass@k down by more than {changes.margin:g}",
        {
            "problem": [pair.problems[i] for i in shown],
            "base": [f"{pair.base.c[i]} of {pair.base.n[i]}" for i in shown],
            "RL": [f"{pair.rl.c[i]} of {pair.rl.n[i]}" for i in shown],
            "probability": [f"{changes.lost[i]:.3f}" for i in shown],
            "expected change": [f"{changes.expected[i]:+.3f}" for i in shown],
        },
    )
    return table + (f"<p>And {left:,} more, in the JSON file.</p>" if left else "")


def _groups(comparison: Comparison) -> str:
    if not comparison.groups:
        return ""
    some = comparison.groups
    return _table(
        "The first k with RL below, by group",
        {
            "group": [group.name for group in some],
            "problems": [f"{group.n_problems:,}" for group in some],
            "in the curves": [str(g.curves.first_below or "none") for g in some],
            "at the earliest": [str(g.first_below.low or "none") for g in some],
            "at the latest": [str(g.first_below.high or "never") for g in some],
        },
    )


def _table(caption: str, columns: Mapping[str, Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    name = html.escape(caption)
    return (
        f'<div class="frame" tabindex="0" role="region" aria-label="{name}">'
        f"<table><caption>{name}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
