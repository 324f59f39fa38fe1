"""Make the reference of the toolkit from its docstrings, and tie it to the pages.

``.. toolkit-modules:: toolkit.passk toolkit.forgetting`` documents modules, a package
with all its public modules. A function or class of the toolkit that a page's code names
links to its entry there, and the entry says on which pages it is used.
"""

import ast
import contextlib
import html
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

PACKAGE = "toolkit"
AUTOMODULE = """\
.. automodule:: {name}
   :members:
   :member-order: bysource
   :no-value:
"""
LISTING = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.DOTALL)
AXIS = re.compile(r"(?<=[(\s])\*(?=\w+[,)])")
DOT = '</span><span class="o">.</span><span class="n">'


def public_modules(name: str) -> Iterator[str]:
    """Yield a module and, if it is a package, the public modules in it."""
    yield name
    module = importlib.import_module(name)
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if not found.name.startswith("_"):
            yield from public_modules(f"{name}.{found.name}")


class ToolkitModules(SphinxDirective):
    """A section for each module, made from docstrings."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        tops = self.arguments[0].split()
        return [self.section(name) for top in tops for name in public_modules(top)]

    def section(self, name: str) -> nodes.section:
        """Return the section of one module."""
        title = nodes.title("", "", nodes.literal("", name))
        section = nodes.section("", title, ids=[name.replace(".", "-")])
        lines = StringList(AUTOMODULE.format(name=name).splitlines(), name)
        self.state.nested_parse(lines, 0, section)
        return section


def shorten(
    app: Sphinx,
    what: str,
    name: str,
    documented: Any,
    options: Any,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Write ``Float[ndarray, 'k']`` where Sphinx writes ``~jaxtyping.Float[...]``."""
    return tuple(  # type: ignore[return-value]
        text and text.replace("~jaxtyping.", "") for text in (signature, returns)
    )


def escape_axes(
    app: Sphinx, what: str, name: str, documented: Any, options: Any, lines: list[str]
) -> None:
    """Leave the star in a shape like ``(*runs, steps)`` a star."""
    lines[:] = [AXIS.sub(r"\*", line) for line in lines]


def resolve(dotted: str) -> str | None:
    """Return the full name of the function or class that a dotted name stands for.

    >>> resolve("toolkit.evidence.load")
    'toolkit.evidence.loading.load'
    >>> resolve("toolkit.nothing") is None
    True
    """
    first, *rest = dotted.split(".")
    if first != PACKAGE:
        return None
    found: Any = importlib.import_module(PACKAGE)
    for name in rest:
        if inspect.ismodule(found) and not hasattr(found, name):
            with contextlib.suppress(ImportError):
                importlib.import_module(f"{found.__name__}.{name}")
        found = getattr(found, name, None)
    if inspect.isfunction(found) or inspect.isclass(found):
        return f"{found.__module__}.{found.__qualname__}"
    return None


def names_used(cells: Iterable[str]) -> dict[str, str]:
    """Return what of the toolkit a page's code names: as written, and in full.

    >>> names_used(["from toolkit import passk as p", "p.k_grid(4)"])
    {'p.k_grid': 'toolkit.passk.k_grid'}
    """
    imported: dict[str, str] = {}
    written = set()
    for cell in cells:
        try:
            tree = ast.parse(cell)
        except SyntaxError:  # not Python; whoever runs it will say so
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    imported[alias.asname or alias.name] = full
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    imported[alias.asname or alias.name] = alias.name
            elif isinstance(node, ast.Name | ast.Attribute):
                written.add(ast.unparse(node))
    found = {}
    for name in sorted(written):
        first, dot, rest = name.partition(".")
        if first in imported and re.fullmatch(r"[\w.]*", rest):
            found[name] = resolve(imported[first] + dot + rest)
    return {name: full for name, full in found.items() if full}


def read_code(app: Sphinx, doctree: nodes.document) -> None:
    """Remember what of the toolkit the cells of a page name."""
    cells = [
        listing.astext()
        for cell in doctree.findall(nodes.container)
        if "cell_input" in cell.get("classes", [])
        for listing in cell.findall(nodes.literal_block)
    ]
    names_of(app.env)[app.env.docname] = names_used(cells)


def names_of(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """Return what is remembered of each page."""
    if not hasattr(env, "toolkit_names"):
        env.toolkit_names = {}  # type: ignore[attr-defined]
    return env.toolkit_names  # type: ignore[attr-defined]


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop what was remembered of a page."""
    names_of(env).pop(docname, None)


def write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return all pages with links either way, if any name or entry has changed."""
    now = {page: dict(used) for page, used in names_of(env).items()}
    entries = {
        name: entry.docname for name, entry in env.get_domain("py").objects.items()
    }
    before = getattr(env, "toolkit_links", None)
    env.toolkit_links = (now, entries)  # type: ignore[attr-defined]
    return sorted({*now, *entries.values()}) if env.toolkit_links != before else []


def reading_order(env: BuildEnvironment) -> list[str]:
    """Return the pages in their order."""
    found: list[str] = []
    ahead = [env.config.root_doc]
    while ahead:
        page = ahead.pop(0)
        found.append(page)
        ahead = env.toctree_includes.get(page, []) + ahead
    return found


def add_uses(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Say below an entry of the reference on which pages it is used."""
    env = app.env
    for entry in doctree.findall(addnodes.desc):
        ids = {
            found
            for part in entry.findall(addnodes.desc_signature)
            for found in part["ids"]
        }
        pages = [
            page
            for page in reading_order(env)
            if ids.intersection(names_of(env).get(page, {}).values())
        ]
        if not pages:
            continue
        line = nodes.paragraph("", "Used on: ", classes=["used-on"])
        for page in pages:
            title = nodes.inline("", env.titles[page].astext())
            line += make_refnode(app.builder, docname, page, "", title)
            line += nodes.Text("; " if page != pages[-1] else "")
        text = entry[-1]
        below = text.first_child_matching_class(addnodes.desc)  # methods, for a class
        text.insert(len(text) if below is None else below, line)


def link_code(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Link the names in a page's listings to their entries."""
    entries = app.env.get_domain("py").objects
    targets = {}
    for name, full in names_of(app.env).get(pagename, {}).items():
        if full in entries:
            page = app.builder.get_relative_uri(pagename, entries[full].docname)
            targets[DOT.join(name.split("."))] = html.escape(f"{page}#{full}")
    if not targets:
        return
    longest_first = sorted(targets, key=len, reverse=True)
    names = re.compile(
        r'<span class="n">(' + "|".join(map(re.escape, longest_first)) + ")</span>"
    )

    def link(match: re.Match[str]) -> str:
        return f'<a class="to-reference" href="{targets[match[1]]}">{match[0]}</a>'

    context["body"] = LISTING.sub(
        lambda listing: names.sub(link, listing[0]), context["body"]
    )


def find_imported(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Node
) -> nodes.reference | None:
    """Lead a name that a module imports to where it is defined."""
    if node.get("refdomain") != "py":
        return None
    entries = env.get_domain("py").objects
    for before in ("", f"{node.get('py:module')}."):
        full = resolve(before + node["reftarget"])
        if full in entries:
            page = entries[full].docname
            return make_refnode(app.builder, node["refdoc"], page, full, text)
    return None


def set_autodoc(app: Sphinx, config: Config) -> None:
    """Set how docstrings are read. Types in them are words, not names to look up."""
    config.add_module_names = False  # the section's title has it
    config.napoleon_use_ivar = True
    config.napoleon_use_rtype = False
    config.napoleon_attr_annotations = False
    config.nitpick_ignore_regex = [*config.nitpick_ignore_regex, ("py:class", ".*")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the steps."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.add_directive("toolkit-modules", ToolkitModules)
    app.connect("config-inited", set_autodoc)
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", escape_axes, priority=900)
    app.connect("doctree-read", read_code)
    app.connect("env-purge-doc", forget)
    app.connect("env-get-updated", write_again)
    app.connect("doctree-resolved", add_uses)
    app.connect("missing-reference", find_imported)
    app.connect("html-page-context", link_code)
    return {"env_version": 1, "parallel_read_safe": False, "parallel_write_safe": True}
