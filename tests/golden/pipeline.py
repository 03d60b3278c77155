"""Writes pipeline.json: complete runs of lessons with their random numbers. The seeds of lessons 000 and 002 are known;
lesson 004 is run with two other seeds.

    python3 tests/golden/pipeline.py        (see golden.py)
"""
import torch
import torch.nn.functional as F
from torch import nn

import lesson
from golden import RTOL, farthest, save, tolerance
from tables import by_float32, by_loops
from words import vocabulary

# Lesson 000: three sentences ------------------------------------------------------------------------------------------

SENTENCES = ["I wonder what will come next", "This is a basic example paragraph", "Hello what is a basic split"]


def lesson000(seed=1828875196):
    tokens = [sentence.split() for sentence in SENTENCES]
    vocab = vocabulary(tokens)
    idx = torch.tensor([[vocab.index(token) for token in row] for row in tokens])
    torch.manual_seed(seed)
    weight = nn.Embedding(len(vocab), 4).weight.detach()
    embedded = F.embedding(idx, weight)
    return {"seed": seed, "tokens": tokens, "vocab": vocab, "idx": idx, "weight": weight, "embeddings": embedded,
            "sum_loop64_n1000": embedded + by_loops(10, 4, 1000.0)[:6],
            "sum_torch32_n10000": embedded + by_float32(10, 4, 1e4)[:6]}


# Lesson 002: 47 ids, a large table, dropout ---------------------------------------------------------------------------

IDS = [2, 1819, 1547, 1698, 230, 3869, 2661, 3596, 3744, 1341, 3155, 3] + [1] * 35
ROWS, COLUMNS = [0, 1, 2, 3, 11, 12, 44, 45, 46], [0, 1, 2, 3, 4, 5, 6, 7, 509, 510, 511]


def picked(table):
    return table[ROWS][:, COLUMNS].contiguous()


def bits(mask):
    return "".join(str(int(bit)) for bit in mask)


def lesson002(seed=2421069391):
    torch.manual_seed(seed)
    embedded = nn.Embedding(4376, 512).weight.detach()[IDS]
    places = by_float32(5000, 512, 1e4)
    output = F.dropout(embedded + places[:1], 0.1)  # every word has position 0: the lesson cuts by sentences
    kept = output != 0
    return {"seed": seed, "ids": IDS, "rows": ROWS, "cols": COLUMNS, "embedding": picked(embedded), "output": picked(output),
            "kept": int(kept.sum()), "mask_first_64": bits(kept.flatten()[:64]), "mask_row_46_last_64": bits(kept[46, -64:]),
            "output_sum64": float(output.double().sum()), "next_rand": torch.rand(3),
            "batch_first_output": picked(embedded + places[:47])}


# Lesson 004: a Transformer by hand ------------------------------------------------------------------------------------

WORDS, D, H, FF, PLACES = 5, 16, 4, 32, 12


class Drawn:
    """Weights as the modules initialize them in float32, converted to `dtype`."""

    def __init__(self, dtype):
        self.dtype = dtype

    def embedding(self, rows):
        return nn.Embedding(rows, D).weight.detach().to(self.dtype)

    def linears(self, **sizes):
        found = {}
        for name, (inputs, outputs) in sizes.items():
            module = nn.Linear(inputs, outputs)
            found.update({f"{name}.{key}": p.detach().to(self.dtype) for key, p in module.named_parameters()})
        return found

    def attention(self, last=True):
        names = ["weight_q", "weight_k", "weight_v"] + ["concat_linear"] * last
        return self.linears(**{name: (D, D) for name in names})

    def layer(self, *attentions):
        parts = {f"{name}.": self.attention() for name in attentions}
        norms = {f"{name}.weight": torch.ones(D, dtype=self.dtype) for name in ("norm", "norm1", "norm2")}
        norms.update({f"{name}.bias": torch.zeros(D, dtype=self.dtype) for name in ("norm", "norm1", "norm2")})
        parts["feed_forward."] = {**self.linears(linear1=(D, FF), linear2=(FF, D)), **norms}
        return {**{prefix + name: t for prefix, part in parts.items() for name, t in part.items()}, **norms}


def qkv(weights, x):
    return [lesson.linear(weights, f"weight_{part}", x) for part in "qkv"]


def lesson004(seed, dtype):
    torch.manual_seed(seed)
    drawn = Drawn(dtype)
    stages = {"first_embedding": drawn.embedding(WORDS), "token_embedding": drawn.embedding(WORDS),
              "position_embedding": drawn.embedding(PLACES)}
    x = stages["input_embeddings"] = (stages["token_embedding"] + stages["position_embedding"][:WORDS]).unsqueeze(0)
    q, k, v = qkv(drawn.attention(last=False), x)
    stages.update(q=q, k=k, v=v, attention=lesson.attend(q, k, v), attention_causal=lesson.attend(q, k, v, True))
    stages["attention_head"] = lesson.attend(*qkv(drawn.attention(last=False), x))
    seen = {}
    stages["multihead"] = lesson.multihead(drawn.attention(), x, x, x, H, seen=seen)
    stages["multihead_weights"] = seen["weights"]
    stages["layer_norm"] = F.layer_norm(x, [D])
    stages["layer_norm_std"] = stages["layer_norm"].std(-1)
    encoder, decoder = drawn.layer("attn"), drawn.layer("self_attn", "multihead_attn")
    stages["feed_forward"] = lesson.feed_forward(lesson.below(encoder, "feed_forward."), x)
    once = stages["encoder_layer"] = lesson.encoder_layer(encoder, x, H)
    twice = stages["encoder_2_clones"] = lesson.encoder_layer(encoder, once, H)
    for title, causal in (("nocausal", False), ("causal", True)):
        stages[f"decoder_layer_{title}"] = lesson.decoder_layer(decoder, x, twice, H, causal)
    stages["encoder_layer_train"] = lesson.encoder_layer(encoder, x, H, dropout=lambda y: F.dropout(y, 0.1))
    stages["next_rand"] = torch.rand(3).to(dtype)
    return stages


def both(seed):
    single, double = lesson004(seed, torch.float32), lesson004(seed, torch.float64)
    return {"seed": seed, "n": WORDS, "d": D, "h": H, "ff": FF, "max_pos": PLACES,
            "tol": tolerance(farthest(single, double)), "stages": single}


if __name__ == "__main__":
    save("pipeline", "whole lessons from one seed; made by pipeline.py", rtol=RTOL, doc000=lesson000(), doc002=lesson002(),
         doc004=[both(0), both(42)])
