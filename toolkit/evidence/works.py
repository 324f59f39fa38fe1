"""The works the table cites: how to name them in a sentence, and their BibTeX entries.

``works.json`` is written from the book's bibliography by ``python -m tools.evidence``,
so that the installed package has it too.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, kw_only=True)
class Work:
    """One entry of the bibliography.

    Attributes
    ----------
    key
        Its BibTeX key.
    type
        Its BibTeX type.
    fields
        Name and raw value of each field, in the bibliography's order.
    """

    key: str
    type: str
    fields: Mapping[str, str]

    @property
    def label(self) -> str:
        """Authors and year as a sentence names them.

        >>> works()["yue2025does"].label
        'Yue et al. (2025)'
        """
        authors = self.fields.get("author")
        names = (
            [_family_name(a) for a in authors.split(" and ")]
            if authors
            else [self.title]
        )
        if len(names) > 2 or names[-1] == "others":
            names = [f"{names[0]} et al."]
        return f"{' and '.join(names)} ({self.fields['year']})"

    @property
    def name(self) -> str:
        """The label, with the title's beginning where another work has that label.

        >>> works()["liu2025prorl"].name
        'Liu et al. (2025), ProRL'
        """
        if _label_counts()[self.label] == 1:
            return self.label
        return f"{self.label}, {self.title.split(':')[0]}"

    @property
    def title(self) -> str:
        """The title without BibTeX's braces."""
        return _plain(self.fields["title"])

    def bibtex(self, *, keywords: str = "") -> str:
        """Return the entry, with ``keywords`` as one more field unless empty."""
        lines = [f"  {name} = {{{value}}}" for name, value in self.fields.items()]
        if keywords:
            lines.append(f"  keywords = {{{keywords}}}")
        return f"@{self.type}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


@cache
def works() -> Mapping[str, Work]:
    """Return every work the table may cite, by key."""
    text = files("toolkit.evidence").joinpath("works.json").read_text("utf-8")
    return {key: Work(key=key, **entry) for key, entry in json.loads(text).items()}


@cache
def _label_counts() -> Counter[str]:
    return Counter(work.label for work in works().values())


def _family_name(author: str) -> str:
    return _plain(author.split(",")[0].strip())


def _plain(value: str) -> str:
    return value.replace("{", "").replace("}", "")
