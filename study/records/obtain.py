"""Compute or load: the one way to a record."""

import shutil
from collections.abc import Callable, Mapping

from ..lock import held, locked
from .record import Record, key_of
from .store import Store

COMPUTE = ("missing", "never", "always")


class MissingRecord(LookupError):
    """There is no record of these ``inputs`` and ``compute`` is ``never``."""

    def __init__(self, inputs: Mapping[str, object]):
        super().__init__(inputs)
        self.inputs = inputs

    def __str__(self) -> str:
        return f"no record of {described(self.inputs)}"


def described(inputs: Mapping[str, object]) -> str:
    """A computation in words: ``exact on ncbi-disease (fold:1/5, dev, seed 0)``."""
    of = [*inputs.get("transforms", ()), *([inputs["split"]] if "split" in inputs else ())]
    of += [f"{name} {inputs[name]}" for name in ("seed", "k") if name in inputs]
    of += [f"{name} {value}" for name, value in inputs.get("arguments", {}).items()]
    return f"{inputs['name']} on {inputs['dataset']}" + (f" ({', '.join(of)})" if of else "")


def load_or_compute(
    inputs: Mapping[str, object],
    store: Store,
    compute: str,
    make: Callable[[], Record],
    training: str = "",
    keep_training: bool = False,
) -> Record:
    """The record with these inputs: found, or made and kept, as ``compute`` says (see ``COMPUTE``).

    ``training`` is the key of the one behind it, whose folder is deleted when the record is written unless
    ``keep_training``; of several processes that need it one is at work and the others wait. Raises
    MissingRecord under ``never``, OSError before anything is made where the store cannot be written,
    BrokenRecord for one that is there and broken, and RuntimeError naming the folder of a training whose
    record could not be written.
    """
    if compute not in COMPUTE:
        raise ValueError(f"compute is {compute!r}; expected one of {', '.join(COMPUTE)}")
    found = None if compute == "always" else store.find(inputs)
    if found is not None:
        return found
    if compute == "never":
        raise MissingRecord(inputs)
    store.require_writable()
    at = training or key_of(inputs)
    folder = store.training_of(at)
    waiting = f"waiting for another process that makes the record of {described(inputs)} or trains for it"
    with locked(store.lock_of(at), waiting):
        found = None if compute == "always" else store.find(inputs)
        if found is None:
            import torch  # noqa: F401  # so that the record names the accelerator

            record = make()
            try:
                found = store.read(store.write(record))
            except (OSError, ValueError) as error:
                if folder.exists():
                    raise RuntimeError(f"{error}; what was trained stays in {folder}") from error
                raise
        if not keep_training:
            shutil.rmtree(folder, ignore_errors=True)
    return found


def clean_trainings(store: Store) -> int:
    """Delete the folders of trainings that no process is at work on, and say how many there were. A kill
    between the writing of a record and the deletion leaves one, and so does what is not asked for again."""
    left = [folder for folder in store.trainings.glob("*/") if not held(store.lock_of(folder.name))]
    for folder in left:
        with locked(store.lock_of(folder.name)):
            shutil.rmtree(folder)
    return len(left)
