"""Where a training stands apart from its tensors, which in the end is what it did."""

import math
from dataclasses import dataclass, field

ROWS = 500


def six_digits(number: float) -> float:
    return float(f"{number:.6g}")


@dataclass
class Trained:
    """What a training has done, as a checkpoint keeps it as JSON: ``step`` updates in ``seconds``, those
    before a resume included, and whether it is ``done``.

    ``trace`` has up to 500 rows of step (1 after the first update), seconds, loss, gradient_norm (before
    clipping), dev_score (None where not evaluated) and what else the training watched, one for every
    ``stride`` of the steps. Once it is done the model has the weights of ``best_step`` where dev was
    evaluated and the best are kept, else the last ones.
    """

    step: int = 0
    seconds: float = 0.0
    trace: list[dict[str, float | None]] = field(default_factory=list)
    stride: int = 1
    best_step: int | None = None
    best_score: float | None = None
    done: bool = False

    def note(self, loss: float, gradient_norm: float, dev_score: float | None, **watched: float) -> None:
        """Add this step to the trace, which never has more than ``ROWS`` rows.

        Evaluated steps are kept, and every ``stride``-th of the others; the stride doubles when the rows
        are too many, and if that is not enough every other row goes. Numbers of a step keep six digits: they
        come from single precision, and a record has room for what they say.
        """
        if dev_score is None and self.step % self.stride:
            return
        row = {"step": self.step, "seconds": round(self.seconds, 3), "loss": six_digits(loss)}
        row |= {"gradient_norm": six_digits(gradient_norm), "dev_score": dev_score}
        # What is watched may have no value, as the cosine of two concepts in a batch of one.
        seen = {name: six_digits(value) if math.isfinite(value) else None for name, value in watched.items()}
        self.trace.append(row | seen)
        if len(self.trace) > ROWS:
            self.stride *= 2
            on_stride = [r for r in self.trace if r["dev_score"] is not None or r["step"] % self.stride == 0]
            self.trace = on_stride if len(on_stride) <= ROWS else on_stride[::2]

    def judge(self, dev_score: float) -> bool:
        """Whether the dev score of this step is the best so far; an equal one is not."""
        better = self.best_score is None or dev_score > self.best_score
        if better:
            self.best_step, self.best_score = self.step, dev_score
        return better
