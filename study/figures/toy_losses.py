"""What the losses do, on a toy that can be seen whole."""

import numpy as np
import pandas as pd
from matplotlib.patches import Circle

from .drawn import Drawn
from .style import COLOURS, GREY, MARKERS, legend, new_axes, style

# Three concepts with two texts each, as angles of vectors of length 1: the first concept is close together,
# the second far apart, and the third has a text among those of the second.
_TOY = np.deg2rad([[80, 100], [200, 320], [245, 350]])
_LONGEST = 0.7  # of the arrows of a panel: losses differ in scale, which is not the point


@style()
def losses() -> Drawn:
    """Where each loss would move six vectors of length 1: two texts of each of three concepts."""
    import torch

    from benchlib.losses.by_name import LOSSES

    rows = -(-len(LOSSES) // 2)
    figure, panels = new_axes(rows, 2.2, columns=2)
    for unused in panels[len(LOSSES) :]:
        unused.remove()
    frames = []
    for axes, (name, loss) in zip(panels, LOSSES.items(), strict=False):
        points = torch.tensor(np.stack([np.cos(_TOY), np.sin(_TOY)], axis=-1), requires_grad=True)
        loss(torch.nn.functional.normalize(points, dim=-1), 0.0).backward()
        moves = -points.grad.numpy()
        moves *= _LONGEST / max(np.abs(moves).max(), 1e-12)
        axes.add_patch(Circle((0, 0), 1, fill=False, color=GREY, alpha=0.4))
        for concept, (place, move) in enumerate(zip(points.detach().numpy(), moves, strict=True)):
            colour, marker = COLOURS[concept], MARKERS[concept]
            label = f"concept {concept + 1}"
            axes.scatter(*place.T, color=colour, marker=marker, s=28, zorder=3, label=label)
            axes.quiver(*place.T, *move.T, color=colour, angles="xy", scale_units="xy", scale=1, width=0.012)
            frame = pd.DataFrame(np.hstack([place, move]), columns=["x", "y", "move_x", "move_y"])
            frames.append(frame.assign(loss=name, concept=label))
        axes.set_axis_off()
        axes.set(title=name, xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
    legend(figure)
    return Drawn(figure, pd.concat(frames)[["loss", "concept", "x", "y", "move_x", "move_y"]])
