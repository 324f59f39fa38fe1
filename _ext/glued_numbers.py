"""Give every number in a sentence the name that it was glued by.

When its cell is run again in the page, ``live/prose.js`` finds the number by its class
``glued-NAME`` and renews it.
"""

from docutils import nodes
from myst_nb.ext.glue.roles import PasteTextRole
from sphinx.application import Sphinx


class NamedNumber(PasteTextRole):
    """The role ``glue:text``, whose text remembers its name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the text with its name as a class."""
        found, messages = super().run()
        if "::" not in self.text:  # else it comes from another page
            name = self.text.partition(":")[0]
            for node in found:
                if isinstance(node, nodes.Element):
                    node["classes"].append(f"glued-{name}")
        return found, messages


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the notebook extension's place for this role."""
    app.setup_extension("myst_nb")
    app.add_role_to_domain("glue", "text", NamedNumber(), override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
