"""A linking run as Every Eval Ever 0.3.0 has it, a format to exchange evaluations (https://evalevalai.com).

No text is written, since records have none: mentions and clusters go by their numbers in corpus order.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from uuid import UUID

import numpy as np

from benchlib.scoring import Scoring, recall
from benchlib.scoring.outcomes import ORDERS
from benchlib.terminal import write

from .record import Record

SCORING = Scoring("strict", "names")  # of the Recall@1 of a sample
_SOURCE = {"source_type": "evaluation_run", "source_organization_name": "Biomedical entity linking, rerun"}
_MODEL = {"deployment_type": "self_deployed", "model_availability": "unknown"}
_LONGEST = 250  # characters of a linker's name, which becomes that of a folder
_RANGE = {"lower_is_better": False, "score_type": "continuous", "min_score": 0, "max_score": 1}


def export(record: Record, folder: Path) -> None:
    """Write the samples of a linking run as JSON lines, then its scores as JSON, where the format wants them:
    in ``data/<data set>/benchlib/<linker>``. Raises OSError, and BrokenRecord for a table that is none."""
    stem = f"data/{record.inputs['dataset']}/{_model(record)}/{UUID(record.key[:32], version=4)}"
    rows = [json.dumps(sample, allow_nan=False) + "\n" for sample in samples(record)]
    detailed = {"format": "jsonl", "file_path": f"{stem}_samples.jsonl", "total_rows": len(rows)}
    write(folder / detailed["file_path"], "".join(rows))
    evaluation = {**scores(record), "detailed_evaluation_results": detailed}
    write(folder / f"{stem}.json", json.dumps(evaluation, allow_nan=False, indent=1) + "\n")


def scores(record: Record) -> dict[str, object]:
    """Every metric of a linking run with its 95 % interval, and what was run on which data."""
    inputs, made = record.inputs, record.made
    data = {name: inputs[name] for name in ("split", "transforms", "fingerprint")} | record.counts
    source = {"dataset_name": inputs["dataset"], "source_type": "other", "additional_details": _texts(data)}
    results = []
    for metric in record.metrics:
        measure, scoring = metric["measure"], metric["scoring"]
        config = {"metric_name": measure, "metric_parameters": {"scoring": scoring}, **_RANGE}
        interval = {"lower": metric["low"], "upper": metric["high"], "confidence_level": 0.95}
        uncertainty = {"confidence_interval": interval, "num_samples": metric["n"]}
        result = {**_names(record, measure, scoring), "source_data": source, "metric_config": config}
        results.append(result | {"score_details": {"score": metric["value"], "uncertainty": uncertainty}})
    library = {"name": "benchlib", "version": made["versions"]["benchlib"]}
    library["additional_details"] = _texts({"commit": made["commit"], **made["versions"]})
    settings = _texts({name: inputs[name] for name in ("version", "config", "seed", "k")})
    return {
        "schema_version": "0.3.0",
        "evaluation_id": record.key,
        "retrieved_timestamp": str(datetime.fromisoformat(made["date"]).timestamp()),
        "source_metadata": {**_SOURCE, "evaluator_relationship": "other"},
        "eval_library": library,
        "model_info": {"name": inputs["name"], "id": _model(record), "additional_details": _MODEL | settings},
        "evaluation_results": results,
    }


def samples(record: Record) -> Iterator[dict[str, object]]:
    """A row for each scored mention: Recall@1 under ``SCORING``; the first id and its score, none and -inf
    without an answer; the first ``rank`` that a gold name may have and how many names are ``tied`` there,
    neither where none is listed."""
    outcomes, order = record.outcomes, ORDERS.index("rows")  # which strict over names ranks
    lines = np.flatnonzero(outcomes.whole)
    for line, score in zip(lines, recall(outcomes, 1, SCORING).tolist(), strict=True):
        top, above = outcomes.top[line], outcomes.n_better[line, order]
        details = {"cluster": outcomes.cluster[line], "top_score": outcomes.top_score[line]}
        details |= {"rank": above + 1, "tied": outcomes.n_tied[line, order]} if above >= 0 else {}
        yield {
            "schema_version": "0.3.0",
            "evaluation_id": record.key,
            "model_id": _model(record),
            **_names(record, "recall@1", str(SCORING)),
            "sample_id": str(outcomes.mention[line]),
            "interaction_type": "single_turn",
            "input": {"raw": "", "reference": []},
            "output": {"raw": [top] if top else []},
            "answer_attribution": [],
            "evaluation": {"score": score, "is_correct": score == 1},
            "metadata": {name: str(value) for name, value in details.items()},
        }


def _model(record: Record) -> str:
    return f"benchlib/{record.inputs['name'][:_LONGEST]}"


def _names(record: Record, measure: str, scoring: str) -> dict[str, str]:
    """The names of a score, by which samples refer to it."""
    evaluation = f"{record.inputs['dataset']} {record.inputs['split']}"
    return {"evaluation_name": evaluation, "evaluation_result_id": f"{measure} {scoring}"}


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    """Values as text: details of the format hold nothing else."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
