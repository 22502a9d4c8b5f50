"""The names of one disease: what its words allow, before anything is known of other diseases."""

from __future__ import annotations

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
        cores = [
            f"{site.noun} {process.name}",
            f"{process.name} of the {site.noun}",
            f"{site.noun} {process.lay}",
            f"{process.lay} of the {site.noun}",
        ]
        if process.compound:
            cores.append(f"{site.root}{process.name}")
        names = [_join(modifier.before, core, modifier.after) for core in cores]
        if modifier.before:
            names.append(f"{site.adjective} {process.name}, {modifier.before}")
        if modifier.variant:
            after = bool(modifier.after)
            for core in (f"{site.adjective} {process.name}", cores[0], cores[2]):
                names.append(_join(core, modifier.variant) if after else _join(modifier.variant, core))
        return tuple(dict.fromkeys(names))

    @property
    def definition(self) -> str:
        cause = f" {self.modifier.gloss}." if self.modifier.gloss else ""
        system = self.system
        return (
            f"{'An' if system.name[0] in 'aeo' else 'A'} {system.name} disease in which {self.process.gloss} in the {self.site.noun}.{cause} "
            f"Common signs are {system.findings[0]} and {system.findings[1]}."
        )


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)
