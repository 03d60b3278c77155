"""Position tables of the lessons and of PyTorch's tutorial, for the other generators."""
import math

import numpy as np
import torch


def by_loops(rows, d, base):
    """One angle at a time, in double; if the width is odd, the last column is 0."""
    table = np.zeros((rows, d))
    for place in range(rows):
        for pair in range(d // 2):
            angle = place / base ** (2 * pair / d)
            table[place, 2 * pair: 2 * pair + 2] = math.sin(angle), math.cos(angle)
    return torch.tensor(table)


def rates(d, base):
    return torch.exp(torch.arange(0, d, 2) * (-math.log(base) / d))


def by_float32(rows, d, base):
    """As in PyTorch's tutorial: frequencies by a logarithm, angles in float32."""
    angles = torch.arange(rows).unsqueeze(1) * rates(d, base)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def sines_first(rows, d, base):
    """In double; if the width is odd, there is one more sine."""
    column = np.arange(d)
    angles = np.arange(rows)[:, None] * (1 / base ** (2 * (column // 2) / d))
    return torch.tensor(np.hstack([np.sin(angles[:, ::2]), np.cos(angles[:, 1::2])]))
