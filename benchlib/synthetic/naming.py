"""The names of one disease: what its words allow, before anything is known of other diseases."""

from typing import NamedTuple

from .vocabulary import Modifier, Process, Site, System

PLAIN = Modifier("", "", "", "")
"""The modifier of a family, which has none."""


class Disease(NamedTuple):
    """A family (``modifier`` is ``PLAIN``) or one of its members."""

    system: System
    site: Site
    process: Process
    modifier: Modifier = PLAIN

    @property
    def name(self) -> str:
        return _join(self.modifier.before, self.site.adjective, self.process.name, self.modifier.after)

    @property
    def abbreviation(self) -> str:
        """Initials of the name, a digit in full: ``CHF``, ``HF2``."""
        return "".join(word[0] for word in self.name.split() if word != "type").upper()

    @property
    def short(self) -> str:
        """The name without its organ, which a reader fills in from the context; "" for a family."""
        if self.modifier is PLAIN:
            return ""
        return _join(self.modifier.before, self.process.name, self.modifier.after)

    @property
    def variants(self) -> tuple[str, ...]:
        """Other ways to write the name, all as clear as the name itself."""
        site, process, modifier = self.site, self.process, self.modifier
        plain, lay = f"{site.adjective} {process.name}", f"{site.noun} {process.lay}"
        cores = [lay, f"{process.name} of the {site.noun}", f"{process.lay} of the {site.noun}"]
        # "Retina fibrosis" would be one letter from "retinal fibrosis", as a misspelling is.
        if not site.adjective.startswith(site.noun):
            cores.append(f"{site.noun} {process.name}")
        if process.compound:
            cores.append(f"{site.root}{process.name}")
        names = [_join(modifier.before, core, modifier.after) for core in cores]
        if modifier.before:
            names += [
                f"{plain}, {modifier.before}",
                f"{modifier.variant} {plain}",
                f"{modifier.variant} {lay}",
            ]
        elif modifier.variant:
            names += [f"{plain} {modifier.variant}", f"{lay} {modifier.variant}"]
        return tuple(names)

    @property
    def definition(self) -> str:
        system, cause = self.system, f" {self.modifier.gloss}." if self.modifier.gloss else ""
        article = "An" if system.name[0] in "aeo" else "A"
        return (
            f"{article} {system.name} disease in which {self.process.gloss} in the {self.site.noun}.{cause} "
            f"Common signs are {system.findings[0]} and {system.findings[1]}."
        )


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)
