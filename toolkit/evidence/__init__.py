"""The evidence table: what is claimed about RL on models, and what it rests on.

``load()`` returns it as records, checked; ``select`` picks rows by kind and status;
``frame`` makes a pandas table; ``to_json``, ``to_csv``, ``to_bibtex`` and ``to_text``
write it. The words for kinds, statuses and the rest are defined in ``vocabulary``.

>>> from toolkit import evidence
>>> facts = evidence.select(evidence.load(), kind="mathematical fact")
>>> facts[0].claim
'On one problem, a higher success rate means a higher pass@k at every k.'
"""

from toolkit.evidence.export import frame as frame
from toolkit.evidence.export import to_bibtex as to_bibtex
from toolkit.evidence.export import to_csv as to_csv
from toolkit.evidence.export import to_json as to_json
from toolkit.evidence.export import to_text as to_text
from toolkit.evidence.loading import load as load
from toolkit.evidence.loading import parse as parse
from toolkit.evidence.loading import select as select
from toolkit.evidence.records import Change as Change
from toolkit.evidence.records import Claim as Claim
from toolkit.evidence.records import Source as Source
from toolkit.evidence.records import Statement as Statement
from toolkit.evidence.repository import check_repository as check_repository
