"""Recipe of the figure of section 11.0."""

from toolkit.catalogue.recipes import ORIGINAL, Recipe
from toolkit.display import BookFigure
from toolkit.figures.toy_language import reference_figure
from toolkit.language import default_testbed
from toolkit.policies import response_probs


def reference(seed: int = 1) -> BookFigure:
    """Make Figure 11.0.1."""
    testbed = default_testbed(seed)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return reference_figure(pi_ref, testbed.reward)


RECIPES = (
    Recipe(
        number="11.0.1",
        title="The reference policy: how often it is right, and how peaked it is",
        page="chapter11/toy-language",
        make=reference,
        deviation=(
            "Ours. The policies are those of the original book, rebuilt from its "
            f"description ({ORIGINAL})."
        ),
    ),
)
