"""Kill, tamper with and starve the making of records: nothing may be lost, and nothing wrong accepted.

Run by hand, ``python benchmarks/faults/kills.py``; it takes minutes. A small training is killed at random
moments, and before random calls to the disk, while it trains, links and writes; what is on the disk then must
be whole, and in the end the same to the bit as of a training that was never killed. Files are changed in
every way that somebody could think of; writes fail as on a full disk (the kernel's limit of a file's size);
two processes make one record; the store cannot be written. What the tests of ``tests/test_store.py`` and
``tests/test_training_resume.py`` do at every place of a toy, this does to the whole.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / name) for name in (".", "tests")]

from exercise import Exercise, child, counted  # noqa: E402
from test_store import changed_at, signed  # noqa: E402

from study.corpora import files  # noqa: E402
from study.corpora.registry import File  # noqa: E402
from study.records import Store, verify  # noqa: E402
from study.records.pack import pack  # noqa: E402

NOBODY = 65534  # a user to whom a folder can be closed, which to root it cannot


def leaves(value, at=()):
    """Every place in a record's JSON that has a value, with it."""
    yield at, value
    for name, one in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(one, dict | list):
            yield from leaves(one, (*at, name))
        else:
            yield (*at, name), one


def kills(of: Exercise, n: int) -> str:
    """Half of them at random moments, half before random calls to the disk."""
    note, store = of.folder / "calls", of.store("killed")
    assert child(partial(counted, partial(of.make, store), -1, note)) == 0
    calls, killed, finished, store = int(note.read_text()), 0, 0, of.store("killed")
    while killed < n:
        before = of.steps(store)
        if killed % 2:
            ended = child(partial(counted, partial(of.make, store), of.rng.randrange(calls)))
        else:
            ended = child(partial(of.make, store), of.rng.random() * of.seconds)
        killed += ended == -signal.SIGKILL
        assert ended in (0, -signal.SIGKILL), ended
        if of.whole(store):
            finished += 1
            store = of.store("killed")
        else:
            assert of.steps(store) >= before, "a checkpoint was lost"
    of.make(store)
    of.whole(store, done=True)
    return f"{killed} kills, {finished + 1} records, each as of a training never killed ({calls} disk calls)"


def tamperings(of: Exercise, n: int) -> str:
    store = of.store("tampered")
    of.make(store)
    path = store.path_of(of.inputs)
    [table] = path.parent.glob("*.parquet")
    packed = of.store("packed")
    of.make(packed)
    pack(packed)
    training = of.store("half")
    while not 0 < of.steps(training) < 8:
        training = of.store("half")
        child(partial(counted, partial(of.make, training), of.rng.randrange(150)))
    *_, checkpoint = sorted(training.training_of(of.training).glob("checkpoint-*[0-9]"))  # the last
    corpus = of.folder / "corpus.txt"
    corpus.write_bytes(bytes(range(256)) * 40)
    described = File(name="corpus.txt", bytes=10240, sha256=hashlib.sha256(corpus.read_bytes()).hexdigest())

    def flipped(data: bytes) -> bytes:
        place = of.rng.randrange(len(data))
        return data[:place] + bytes([data[place] ^ of.rng.randrange(1, 256)]) + data[place + 1 :]

    def cut(data: bytes) -> bytes:
        return data[: of.rng.randrange(len(data))]

    def edited(data: bytes) -> bytes:
        at, value = of.rng.choice([(at, value) for at, value in leaves(json.loads(data)) if at])
        return json.dumps(changed_at(json.loads(data), at, "x" if isinstance(value, str) else 12345)).encode()

    def improved(data: bytes) -> bytes:
        content = json.loads(data)
        of.rng.choice(list(content["metrics"].values()))["recall@1"][0] += 0.01
        return signed(content)

    def of_another_config(data: bytes) -> bytes:
        return json.dumps(changed_at(json.loads(data), ("config", "learning_rate"), 1.0)).encode()

    def find() -> None:
        if record := store.find(of.inputs):
            verify(record)

    def find_packed() -> None:
        packed.packed.check()

    def resume() -> None:
        of.make(training)

    def read_corpus() -> None:
        files.verify(corpus, described)

    tensors, state = checkpoint / "tensors.safetensors", checkpoint / "state.json"
    ways = [(path, change, find) for change in (flipped, cut, edited, improved)]
    ways += [(table, flipped, find), (table, cut, find), (tensors, cut, resume)]
    files_packed = sorted(path for path in packed.folder.rglob("*") if path.is_file())
    ways += [(path, change, find_packed) for path in files_packed for change in (flipped, cut)]
    ways += [(state, cut, resume), (state, of_another_config, resume)]
    ways += [(corpus, flipped, read_corpus), (corpus, cut, read_corpus)]
    for i in range(n):
        file, change, use = ways[i % len(ways)]
        whole = file.read_bytes()
        file.write_bytes(change(whole))
        try:
            use()
            raise AssertionError(f"{file.name} {change.__name__} was accepted")
        except ValueError:  # BrokenRecord and WrongContent among them
            file.write_bytes(whole)
    of.make(training)
    of.whole(training, done=True)
    of.whole(store)
    of.whole(packed)
    return f"{n} tamperings in {len(ways)} ways, all refused"


def full_disk(of: Exercise, n: int) -> str:
    """Writes beyond a size fail: half of the times those of checkpoints, half those of the record."""
    store, failed = of.store("full"), 0
    written = max(path.stat().st_size for path in (of.folder / "never-killed" / "records").glob("new/*"))
    tensors = (Path(of.linker.model) / "model.safetensors").stat().st_size

    def starve(most: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    def starved(most: int, late: bool) -> None:
        if late:
            write = Store.write
            Store.write = lambda self, record: (starve(most), write(self, record))[1]
        else:
            starve(most)
        of.make(store)

    for i in range(n):
        late = bool(i % 2)
        failed += child(partial(starved, of.rng.randrange(written if late else tensors), late)) == 1
        if of.whole(store):
            store = of.store("full")
    of.make(store)
    of.whole(store, done=True)
    return f"{failed} of {n} runs had no room and said so; then the record was made"


def two_writers(of: Exercise, n: int) -> str:
    for _ in range(n):
        store, pids = of.store("two"), []
        for _ in range(2):
            pids.append(os.fork())
            if not pids[-1]:
                os._exit(child(partial(of.make, store)))
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0, 0]
        of.whole(store, done=True)
    return f"{n} times two processes made one record"


def read_only(of: Exercise) -> str:
    store = of.store("closed")
    of.make(store)
    before = sorted(store.folder.rglob("*"))
    for path in (store.folder / "new", store.folder.parent, store.folder, of.folder):
        path.chmod(0o555)

    def as_nobody(work: Callable[[], object]) -> int:
        return child(lambda: (os.geteuid() or os.setuid(NOBODY), work()))

    read = as_nobody(lambda: of.whole(store) or os._exit(1))
    made = as_nobody(partial(of.make, store, seed=1))
    for path in (of.folder, store.folder.parent, store.folder, store.folder / "new"):
        path.chmod(0o755)
    assert (read, made) == (0, 1) and sorted(store.folder.rglob("*")) == before
    return "a closed store is read, and refused before anything is written"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--tamperings", type=int, default=40)
    parser.add_argument("--full", type=int, default=20, help="runs on a full disk")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        of = Exercise(Path(folder), random.Random(options.seed))
        print(f"one training, linking and writing: {of.seconds:.1f} s", flush=True)
        print(kills(of, options.kills), flush=True)
        print(tamperings(of, options.tamperings), flush=True)
        print(full_disk(of, options.full), flush=True)
        print(two_writers(of, 5), flush=True)
        print(read_only(of), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
