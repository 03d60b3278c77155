"""Writes rng.json: random numbers of PyTorch 1.13.1, with a new torch.manual_seed for each entry.

    python3 tests/golden/rng.py        (see golden.py)

From 16 normals on, the last bits depend on the machine: these are those of AVX2, without MKL.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from golden import save

D, H, FF = 16, 4, 32
SEEDS = [0, 1, 42, 1234, 2**32 - 1, 123456789012]
WHOLE = (0, 42)  # of these, long tables are listed to the end


def summary(values):
    """A summary of a long table: its ends, and its sum in double, which a wrong middle would change."""
    flat = values.flatten()
    return {"first8": flat[:8], "last8": flat[-8:], "sum64": float(flat.double().sum())}


def module_summary(module):
    """Summaries of all parameters by name."""
    found = []
    for name, p in module.named_parameters():
        parts = summary(p.detach())
        found.append({"name": name, "shape": list(p.shape), "first8": parts["first8"],
                      "last": float(str(p.detach().flatten()[-1].numpy())), "sum64": parts["sum64"]})
    return found


def words(seed):
    """The generator's 32-bit words, from NumPy's Mersenne twister, which gives the same words as PyTorch's."""
    twister = np.random.RandomState(seed % 2**32)
    return [int(word) for word in twister.randint(0, 2**32, 1001, dtype=np.uint32)]


def entry(seed):
    def fresh(draw):
        torch.manual_seed(seed)
        return draw()

    def table(values):
        values = values.detach()
        return values if seed in WHOLE else {"shape": list(values.shape), **summary(values)}
    own = words(seed)
    found = {"seed": seed, "words": own[:8], "word_1000": own[1000]}
    found["rand_20"] = fresh(lambda: torch.rand(20))
    found["rand_f64_5"] = fresh(lambda: torch.rand(5, dtype=torch.float64))
    found["uniform_"] = fresh(lambda: torch.empty(9).uniform_(-0.3, 0.7))
    found["uniform_args"] = [-0.3, 0.7]
    found.update({f"randn_{n}": fresh(lambda: torch.randn(n)) for n in (5, 16, 17, 40)})
    found["normal_"] = fresh(lambda: torch.empty(21).normal_(1.5, 0.02))
    found["normal_args"] = [1.5, 0.02]
    found["randn_sequence"] = fresh(sequence)
    found.update({f"randperm_{n}": fresh(lambda: torch.randperm(n)) for n in (10, 33)})
    found["randint"] = [{"low": low, "high": high, "values": fresh(lambda: torch.randint(low, high, (n,)))}
                        for low, high, n in ((0, 100, 10), (-5, 6, 10), (0, 2**40, 4))]
    for rows, width in ((13, 4), (14, 4), (5, 16)):
        found[f"embedding_{rows}x{width}"] = table(fresh(lambda: nn.Embedding(rows, width)).weight)
    for inputs, outputs in ((16, 16), (7, 5)):
        module = fresh(lambda: nn.Linear(inputs, outputs))
        found.update({f"linear_{inputs}_{outputs}.{name}": table(p) for name, p in module.named_parameters()})
    for rows, width in ((16, 16), (36, 12)):
        found[f"xavier_uniform_{rows}x{width}"] = table(fresh(lambda: nn.init.xavier_uniform_(torch.empty(rows, width))))
    found["dropout"] = [fresh(lambda: dropped(shape, p)) for shape in ((3, 6, 4), (1, 47, 512)) for p in (0.1, 0.5)]
    made = {"nn_multihead_attention": lambda: nn.MultiheadAttention(D, H),
            "nn_transformer_encoder_layer": lambda: nn.TransformerEncoderLayer(D, H, FF),
            "nn_transformer_decoder_layer": lambda: nn.TransformerDecoderLayer(D, H, FF)}
    found["modules"] = {name: module_summary(fresh(make)) for name, make in made.items()}
    return found


def sequence():
    """After an odd count the generator saves the second normal of a pair for the next call."""
    calls = [5, 4, 16, 3, 17, 1]
    return {"calls": calls, "values": [torch.randn(n) for n in calls], "then_rand": torch.rand(2)}


def dropped(shape, p):
    kept = F.dropout(torch.ones(shape), p).flatten()
    mask = "".join(str(int(one != 0)) for one in kept)
    return {"shape": list(shape), "p": p, "scale": float(str(kept.max().numpy())), "mask": mask if len(mask) <= 100 else mask[:64],
            "kept": mask.count("1")}


if __name__ == "__main__":
    save("rng", "each entry after torch.manual_seed(seed); made by rng.py", module_sizes={"d": D, "h": H, "ff": FF},
         seeds=[entry(seed) for seed in SEEDS])
