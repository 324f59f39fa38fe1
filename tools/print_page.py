"""One long page of the whole chapter, made from the built pages, to be printed.

The pages' texts follow each other in reading order, behind a title and a table of
contents. Names inside a page get the page's name in front, so that none meets another;
links between pages become links inside the long one. Addresses that the text does not
show are listed at the end of their section.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from posixpath import normpath

ARTICLE = re.compile(r'<article class="bd-article">(.*)</article>', re.DOTALL)
BLOCK = re.compile(r'<details class="figure-block">.*?</details>', re.DOTALL)
HEADER_LINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
HEADING = re.compile(r'<section[^>]* id="([^"]*)">\s*<h([12])>(.*?)</h\2>', re.DOTALL)
LINK = re.compile(r'<a\b([^>]*?)\bhref="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
NAME = re.compile(r'(\s(?:id|for|aria-labelledby|aria-describedby)=")([^"]*)"')
INSIDE = re.compile(r'(\sxlink:href="#|url\(#)')
SHEETS = re.compile(r'<link [^>]*rel="stylesheet"[^>]*>|<link [^>]*text/css[^>]*>')
MATHJAX = re.compile(
    r"<script>window\.MathJax.*?</script>|<script [^>]*mathjax/[^>]*></script>"
)
TAGS = re.compile(r"<[^>]*>")


@dataclass(frozen=True, kw_only=True)
class Section:
    """One page of the book, as a section of the long page.

    Attributes
    ----------
    name
        Its file's name without ending.
    title
        Its title, as HTML without tags.
    body
        Its text, as HTML.
    headings
        Anchor and title of every heading below the title.
    """

    name: str
    title: str
    body: str
    headings: list[tuple[str, str]] = field(default_factory=list)


def read_section(site: Path, page: str, others: Mapping[str, str]) -> Section:
    """Read one built page.

    Parameters
    ----------
    site
        The folder of built pages.
    page
        The page's path without ending, e.g. ``"chapter11/sharpening"``.
    others
        Section names of all pages of the long page, by path without ending.
    """
    found = ARTICLE.search((site / f"{page}.html").read_text())
    if found is None:
        raise ValueError(f"{page}.html has no article; was the theme changed?")
    name = others[page]
    body = HEADER_LINK.sub("", BLOCK.sub("", found[1]))
    body = body.replace("<details", "<details open")
    body = NAME.sub(lambda m: f'{m[1]}{_prefixed(m[2], name)}"', body)
    body = INSIDE.sub(rf"\1{name}-", body)
    addresses: list[str] = []

    def lead(match: re.Match[str]) -> str:
        before, target, after, text = match.groups()
        if re.match(r"[a-z]+:", target):
            note = _note(html.unescape(target), text, addresses)
            return f'<a{before}href="{target}"{after}>{text}</a>{note}'
        path, _, anchor = target.partition("#")
        to = (
            normpath(str(PurePosixPath(page).parent / path)) if path else f"{page}.html"
        )
        to = to.removesuffix(".html")
        if to not in others:
            return text
        inside = f"{others[to]}-{anchor}" if anchor else others[to]
        return f'<a href="#{inside}">{text}</a>'

    body = LINK.sub(lead, body)
    headings = [
        (anchor, level, _words(text)) for anchor, level, text in HEADING.findall(body)
    ]
    if addresses:
        items = "".join(f"<li>{html.escape(address)}</li>" for address in addresses)
        body += (
            f'<h2 class="addresses">Addresses</h2><ol class="addresses">{items}</ol>'
        )
    return Section(
        name=name,
        title=next(text for _, level, text in headings if level == "1"),
        body=body,
        headings=[(anchor, text) for anchor, level, text in headings if level == "2"],
    )


def long_page(
    site: Path,
    pages: list[str],
    front: str,
    style: str,
    numbers: Mapping[str, int] | None = None,
) -> str:
    """Return the whole chapter as one HTML page.

    Parameters
    ----------
    site
        The folder of built pages.
    pages
        Their paths without ending, in reading order.
    front
        HTML of the title.
    style
        CSS that comes after the book's.
    numbers
        Sheet of each anchor, for the table of contents, when it is known.
    """
    names = {page: PurePosixPath(page).name for page in pages}
    sections = [read_section(site, page, names) for page in pages]
    first = (site / f"{pages[0]}.html").read_text()
    head = "\n".join(SHEETS.findall(first) + MATHJAX.findall(first))
    body = "".join(
        f'<section class="page" id="{section.name}">{section.body}</section>'
        for section in sections
    )
    contents = "".join(_contents(section, numbers or {}) for section in sections)
    folder = str(PurePosixPath(pages[0]).parent)
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head>'
        f'<meta charset="utf-8"><base href="/{folder}/"><title>{_title(first)}</title>'
        f"{head}<style>{style}</style></head><body>"
        f'<header class="front">{front}</header>'
        f'<nav class="sheets"><h1>Contents</h1><ol>{contents}</ol></nav>'
        f'<main class="bd-content"><article class="bd-article">{body}</article></main>'
        "</body></html>"
    )


def _contents(section: Section, numbers: Mapping[str, int]) -> str:
    below = "".join(
        f"<li>{_entry(anchor, text, numbers)}</li>" for anchor, text in section.headings
    )
    return f"<li>{_entry(section.name, section.title, numbers)}<ol>{below}</ol></li>"


def _entry(anchor: str, text: str, numbers: Mapping[str, int]) -> str:
    number = numbers.get(anchor, "")
    return f'<a href="#{anchor}"><span>{text}</span><span>{number}</span></a>'


def _prefixed(names: str, section: str) -> str:
    return " ".join(f"{section}-{name}" for name in names.split())


def _note(address: str, text: str, addresses: list[str]) -> str:
    """Return the mark of an address that the text does not show, and note it."""
    shown = address.split("://")[-1].rstrip("/")
    last = shown.rpartition("/")[2]
    numbered = any(map(str.isdigit, last)) and last in text  # as in "arXiv:2504.13837"
    if numbered or shown in text or address.startswith("mailto:"):
        return ""
    if address not in addresses:
        addresses.append(address)
    return f'<sup class="address">{addresses.index(address) + 1}</sup>'


def _words(text: str) -> str:
    return " ".join(TAGS.sub("", text).split())


def _title(page: str) -> str:
    return page.split("&#8212;", 1)[1].split("</title>")[0].strip()
