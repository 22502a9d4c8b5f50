"""``study run CHAPTER``: make the records of a chapter that are missing, here or on a cluster.
``study run --plan`` lists what all chapters run, and how much of it is done.

Jobs are independent, each one record; those of one training follow on each other in one process, which trains
once. What is killed goes on where it stood when it is asked for again, and what there is is not made again.
Without a page or a kernel; parameters are those of the notebook.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchlib.terminal import print_messages, run_command

from ..places import ROOT
from ..records import Store, published
from ..records.obtain import clean_trainings
from ..records.record import key_of
from .chapter import CHAPTERS, STATES, chapters
from .jobs import Job
from .listing import listing, plan_listing
from .parameters import checked, defaults_of
from .plan import Plan, plan_of

_FP32 = "This processor has no bf16 arithmetic: choose precision=fp32 for trainings on it, one for all arms."
_RESTARTS = 5  # of a pool whose worker was killed

Done = tuple[Job, float, str]
"""A job, its seconds, and the error that it ended with, or nothing."""


def plan_with(name: str, given: Mapping[str, Any] | None = None, root: Path = ROOT) -> Plan:
    """The plan of a chapter with its notebook's defaults but for the parameters given; ``root`` is the folder
    of the study, with both.

    Raises ValueError for a parameter that the notebook does not have or cannot use.
    """
    defaults = defaults_of(root / "notebooks" / f"{name}.ipynb")
    return plan_of(name, checked(given or {}, defaults).values(), root / CHAPTERS)


def missing(plan: Plan, sets: Iterable[str] | None = None) -> list[Job]:
    """The jobs of a plan without a record, but for times, which ``benchmarks/timings`` take."""
    return [job for job in plan.jobs(sets) if not (job.timing or plan.store.has(job.inputs))]


def named(plan: Plan, keys: Sequence[str], sets: Iterable[str] | None = None) -> list[Job]:
    """The jobs of a plan whose keys begin with one of these, of 8 digits or more; raises ValueError for one
    that is shorter or that no job has."""
    jobs = [job for job in plan.jobs(sets) if not job.timing]
    found = {key: [job for job in jobs if key_of(job.inputs).startswith(key)] for key in keys}
    if lacking := [key for key, jobs in found.items() if len(key) < 8 or not jobs]:
        told = f"chapter {plan.chapter.name} asks for no such record by 8 digits of its key or more"
        raise ValueError(f"--again {', '.join(lacking)}: {told}")
    return [job for jobs in found.values() for job in jobs]


def by_training(jobs: Iterable[Job]) -> list[tuple[Job, ...]]:
    """The jobs of one training together, with those that rank its answers anew; any other alone."""
    found: dict[object, list[Job]] = {}
    for job in jobs:
        found.setdefault(job.trainings[:1] or job, []).append(job)
    return [tuple(together) for together in found.values()]


def make(job: Job, store: Store, compute: str = "missing", keep_training: bool = False) -> Done:
    """Make one record, on one thread; what goes wrong is returned, not raised."""
    import torch

    torch.set_num_threads(1)
    started = time.perf_counter()
    try:
        job.record(store, compute, keep_training)
        return job, time.perf_counter() - started, ""
    except Exception as error:  # whatever it is, the other jobs do not depend on it
        return job, time.perf_counter() - started, f"{type(error).__name__}: {error}"


def make_all(jobs: Sequence[Job], store: Store, compute: str = "missing") -> Iterator[Done]:
    """Make the records of one training, one after the other; its folder stays until all of them are there."""
    failed = False
    for number, job in enumerate(jobs, 1):
        yield (done := make(job, store, compute, keep_training=failed or number < len(jobs)))
        failed |= bool(done[2])


def make_list(jobs: Sequence[Job], store: Store, compute: str = "missing") -> list[Done]:
    """:func:`make_all` for a worker."""
    return list(make_all(jobs, store, compute))


def on_this_machine(
    jobs: Sequence[Job], store: Store, processes: int = 1, compute: str = "missing"
) -> Iterator[Done]:
    """Make records in processes of one thread each; with one, in this very process.

    A worker that is killed takes no record with it: the pool is started again for what is left. What is
    left when workers go on being killed, as for want of memory, has failed.
    """
    if processes == 1:
        for together in by_training(jobs):
            yield from make_all(together, store, compute)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    work = partial(delayed(make_list), store=store, compute=compute)
    left = {together[0]: together for together in by_training(jobs)}
    for restart in range(_RESTARTS + 1):
        try:
            # Ctrl-C reaches all processes of a terminal: workers leave it to this one, which ends them.
            ignored = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
            with parallel_config("loky", n_jobs=processes, inner_max_num_threads=1, **ignored):
                pool = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=processes)
                for done in pool(work(together) for together in tuple(left.values())):
                    del left[done[0][0]]
                    yield from done
            return
        except TerminatedWorkerError:
            if restart < _RESTARTS:
                print("a worker was killed; the others continue with the rest", file=sys.stderr)
    for together in left.values():
        yield from _lost(together, store, f"workers were killed {_RESTARTS + 1} times")


def on_dask(jobs: Sequence[Job], store: Store, address: str, compute: str = "missing") -> Iterator[Done]:
    """Make records on the workers of a Dask cluster, which see this folder and the data under the same paths.

    A job whose worker dies is given to another one; one that kills them all has failed.
    """
    try:
        from distributed import Client, KilledWorker, as_completed
    except ModuleNotFoundError:
        raise ValueError("--dask needs the extra `dask`: pip install -e '.[dask]'") from None
    with Client(address) as client:
        submit = partial(client.submit, make_list, store=store, compute=compute, pure=False)
        asked = {submit(some): some for some in by_training(jobs)}
        for future in as_completed(asked):
            try:
                yield from future.result()
            except KilledWorker as error:
                yield from _lost(asked[future], store, f"KilledWorker: {error}")


def _lost(jobs: Sequence[Job], store: Store, error: str) -> Iterator[Done]:
    """What became of jobs whose process was killed: some may have been made before."""
    return ((job, 0.0, "" if store.has(job.inputs) else error) for job in jobs)


def run_all(jobs: Sequence[Job], on: Callable[[Sequence[Job]], Iterator[Done]]) -> list[Done]:
    """Make all, linking runs before the measurements that may read them; a line for each, and a bar."""
    failed = []
    with tqdm(total=len(jobs), unit="record", desc="records") as bar:
        for wave in ([job for job in jobs if job.linker], [job for job in jobs if not job.linker]):
            for job, seconds, error in on(wave) if wave else ():
                told = f"FAIL  {job}: {error}" if error else f"{seconds:7.1f} s  {job}"
                bar.write(told)
                bar.update()
                failed += [(job, seconds, error)] if error else []
    return failed


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="study run", description=__doc__.replace("``", ""))
    parser.add_argument("chapter", nargs="?", choices=chapters(root / CHAPTERS))
    parser.add_argument("--plan", action="store_true",
                        help="list what is done, running and left, for all chapters")  # fmt: skip
    parser.add_argument("--clean-trainings", action="store_true",
                        help="delete what unfinished trainings have left")  # fmt: skip
    parser.add_argument("--set", action="append", dest="sets", metavar="RUNS",
                        help="only these runs or measurements; may be repeated; states, which is run only "
                        "where it is named, says on dev how their trainings go, or all")  # fmt: skip
    parser.add_argument("-p", "--parameter", nargs=2, action="append", default=[], dest="given",
                        metavar=("NAME", "VALUE"), help="a parameter of the notebook")  # fmt: skip
    parser.add_argument("--again", action="append", default=[], metavar="KEY",
                        help="only the record whose key begins so, made afresh; may be repeated")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="say what would be made, and make nothing")
    parser.add_argument("--jobs", type=int, help="processes of one thread each (default 1)")
    parser.add_argument("--dask", metavar="ADDRESS", help="of the scheduler of a Dask cluster")
    options = parser.parse_args(arguments)
    if options.plan + options.clean_trainings + bool(options.chapter) != 1:
        parser.error("expected a chapter, --plan or --clean-trainings")
    if options.jobs is not None and options.jobs < 1:
        parser.error(f"--jobs: expected 1 or more, found {options.jobs}")
    if options.jobs and options.dask:
        parser.error("expected --jobs, processes of this machine, or --dask")
    of_chapter = (options.sets, options.given, options.again, options.list, options.jobs, options.dask)
    if not options.chapter and any(of_chapter):
        parser.error("expected no option of a chapter with --plan or --clean-trainings, which are about all")
    goes_on = "stopped; the same command resumes from here"
    return run_command(lambda: _run(options, root), "not run", status=2, stopped=goes_on)


def _run(options: argparse.Namespace, root: Path) -> int:
    if options.clean_trainings:
        print(f"{clean_trainings(published())} folders of trainings deleted")
        return 0
    if options.plan:
        print(plan_listing(plan_with(name, root=root) for name in chapters(root / CHAPTERS)))
        return 0
    plan = plan_with(options.chapter, dict(options.given), root)
    for data in plan.data:
        if data.ontology:
            print_messages("note", data.load().notes)
    if options.again:
        jobs, compute = named(plan, options.again, options.sets), "always"
    else:
        jobs, compute = missing(plan, options.sets), "missing"
    if options.sets is None and (states := len(missing(plan, [STATES]))):
        print(f"{states} more say how its trainings go, made by --set {STATES}")
    if options.list or not jobs:
        print(listing(jobs, plan.store))
        return 0
    if any(job.trainings for job in jobs) and _lacks_bf16():
        print(_FP32)
    if options.dask:
        on = partial(on_dask, store=plan.store, address=options.dask, compute=compute)
    else:
        on = partial(on_this_machine, store=plan.store, processes=options.jobs or 1, compute=compute)
    failed = run_all(jobs, on)
    half = () if options.again else [job for job in missing(plan, options.sets) if job not in jobs]
    if half:  # of the updates, where the others do not tell a state
        jobs, failed = [*jobs, *half], failed + run_all(half, on)
    print(f"{len(jobs) - len(failed)} of {len(jobs)} records made")
    return 1 if failed else 0


def _lacks_bf16() -> bool:
    """Whether bf16 would be emulated here."""
    import torch

    from benchlib.encoders.precision import has_bf16

    return not (torch.cuda.is_available() or has_bf16())
