"""What to say of a page that was run with other parameters than the published one, or on an own corpus."""

from ..chapters.parameters import checked, defaults_of
from ..places import ROOT
from .literal import in_markdown
from .own_files import notes
from .page import Page


def banner(page: Page) -> str:
    """A note in Markdown that names the parameters that differ, with their published values, because the
    prose speaks of those; empty for a page as published. Of what the scale sets, its value counts. How
    records are come by makes no difference. What reading a corpus of the reader's own found odd follows."""
    published = checked({}, defaults_of(ROOT / "notebooks" / f"{page.name}.ipynb")).values()
    here = {name: page.plan.values.get(name, value) for name, value in page.parameters.values().items()}
    differing = [
        f"`{name}` is {_said(value)} (published: {_said(published[name])})"
        for name, value in ((name, tuple(v) if isinstance(v, list) else v) for name, v in here.items())
        if name != "compute" and value != published[name]
    ]
    if not differing:
        return ""
    told = (
        f"> **Not the published parameters.** {'; '.join(differing)}. Tables and figures below are of these; "
        "sentences that tell results are of the published ones."
    )
    odd = (notes(data.load()) for data in page.plan.data if data.ontology)
    return "\n\n".join([told, *filter(None, odd)])


def _said(value: object) -> str:
    return in_markdown(", ".join(map(str, value)) if isinstance(value, tuple) else value) or "empty"
