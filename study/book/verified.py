"""Look once whether the metrics of every published record follow from its outcomes."""

from joblib import Parallel, delayed

from benchlib.terminal import write

from ..records import Store, verify
from .layout import Layout, digest


def verify_new(layout: Layout, jobs: int = 1) -> int:
    """Verify the published records that were not before, with the scoring code as it is; returns how many.

    Raises BrokenRecord for the first that is not whole or does not follow. What was verified is kept in
    ``_build/verified``, a checksum a line, also when another one is broken.
    """
    note, code = layout.build / "verified", [layout.root / "benchlib" / part for part in ("scoring", "runs")]
    scoring = digest(layout.root, code)
    known = set(note.read_text(encoding="utf-8").split()) if note.exists() else set()
    store, new, held = Store(layout.records), {}, []
    store.packed.check()
    for record in store:
        checksum = digest(layout.root, [], scoring, record.checksum)
        if checksum in known:
            held.append(checksum)
        else:
            new[checksum] = record
    try:
        # No pool of processes for nothing.
        work = (delayed(verify)(record) for record in new.values())
        done = Parallel(jobs if new else 1, return_as="generator")(work)
        for checksum, _ in zip(new, done, strict=True):
            held.append(checksum)
    finally:
        write(note, "\n".join(held) + "\n")
    return len(new)
