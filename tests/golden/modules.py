"""Writes modules.json: the state dicts of PyTorch 1.13.1's modules, the defaults of their constructors, and initial
weights of composed modules.

    python3 tests/golden/modules.py        (see golden.py)
"""
import inspect

import torch
from torch import nn

from golden import save
from rng import module_summary

encoder_layer = lambda: nn.TransformerEncoderLayer(8, 2, 12)
decoder_layer = lambda: nn.TransformerDecoderLayer(8, 2, 12)
transformer = lambda: nn.Transformer(8, 2, 1, 1, 12)
separate = lambda: nn.MultiheadAttention(8, 2, kdim=6, vdim=5)

MODULES = {
    "Embedding(5, 4)": lambda: nn.Embedding(5, 4),
    "Linear(4, 6)": lambda: nn.Linear(4, 6),
    "Linear(4, 6, bias=False)": lambda: nn.Linear(4, 6, bias=False),
    "LayerNorm(4)": lambda: nn.LayerNorm(4),
    "Dropout()": nn.Dropout,
    "GELU()": nn.GELU,
    "ReLU()": nn.ReLU,
    "MultiheadAttention(8, 2)": lambda: nn.MultiheadAttention(8, 2),
    "MultiheadAttention(8, 2, bias=False)": lambda: nn.MultiheadAttention(8, 2, bias=False),
    "MultiheadAttention(8, 2, kdim=6, vdim=5)": separate,
    "TransformerEncoderLayer(8, 2, 12)": encoder_layer,
    "TransformerDecoderLayer(8, 2, 12)": decoder_layer,
    "TransformerEncoder(layer, 2)": lambda: nn.TransformerEncoder(encoder_layer(), 2),
    "TransformerEncoder(layer, 2, norm)": lambda: nn.TransformerEncoder(encoder_layer(), 2, nn.LayerNorm(8)),
    "TransformerDecoder(layer, 2)": lambda: nn.TransformerDecoder(decoder_layer(), 2),
    "TransformerDecoder(layer, 2, norm)": lambda: nn.TransformerDecoder(decoder_layer(), 2, nn.LayerNorm(8)),
    "Transformer(8, 2, 1, 1, 12)": transformer,
}
INITIAL = {
    "TransformerEncoder(8, 2, 12; 2 layers)": MODULES["TransformerEncoder(layer, 2)"],
    "Transformer(8, 2, 1, 1, 12)": transformer,
    "MultiheadAttention(8, 2, kdim=6, vdim=5)": separate,
    "Embedding(5, 4, padding_idx=1)": lambda: nn.Embedding(5, 4, padding_idx=1),
}
TAKING = [nn.Embedding, nn.Linear, nn.LayerNorm, nn.Dropout, nn.GELU, nn.MultiheadAttention, nn.TransformerEncoderLayer,
          nn.TransformerDecoderLayer, nn.TransformerEncoder, nn.TransformerDecoder, nn.Transformer, torch.optim.SGD,
          torch.optim.Adam, torch.optim.AdamW]


def state_dict(module):
    return [[name, list(t.shape)] for name, t in module.state_dict().items()]


def defaults(cls):
    """The defaults that JSON can represent; that of an activation is a function, and a learning rate may be required."""
    given = {name: p.default for name, p in inspect.signature(cls).parameters.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()
            if value is None or isinstance(value, (bool, int, float, str, tuple))}


def initial(make, seed=42):
    torch.manual_seed(seed)
    parameters = [{key: one[key] for key in one if key != "shape"} for one in module_summary(make())]
    return {"seed": seed, "parameters": parameters, "then_rand": torch.rand(2)}


save("modules", "state dicts in order, defaults of constructors, first weights; made by modules.py",
     state_dicts={name: state_dict(make()) for name, make in MODULES.items()},
     defaults={cls.__name__: defaults(cls) for cls in TAKING},
     initial={name: initial(make) for name, make in INITIAL.items()})
