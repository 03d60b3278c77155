"""Writes blocks.json: encoder and decoder layers and stacks with fixed weights in eval mode, of PyTorch 1.13.1 (`nn.*`)
and of the lessons (`seed.*`).

    python3 tests/golden/blocks.py        (see golden.py)
"""
import math

import torch
from torch import nn
from torch.nn.utils.stateless import functional_call

import lesson
from golden import RTOL, Draws, measured, save

B, T, S, D, H, FF = 2, 7, 5, 12, 3, 20
draws = Draws(20240502)
cases = []


# Weights by the lessons' names ----------------------------------------------------------------------------------------

def linear(name, outputs, inputs):
    return {f"{name}.weight": draws.normal(outputs, inputs, scale=0.9 / math.sqrt(inputs)),
            f"{name}.bias": draws.normal(outputs, scale=0.1)}


def norm(name):
    return {f"{name}.weight": draws.normal(D, scale=0.1, shift=1.0), f"{name}.bias": draws.normal(D, scale=0.1)}


def attention(name):
    parts = ("weight_q", "weight_k", "weight_v", "concat_linear")
    return {key: t for part in parts for key, t in linear(f"{name}.{part}", D, D).items()}


def feed_forward():
    name = "feed_forward"
    return {**linear(f"{name}.linear1", FF, D), **linear(f"{name}.linear2", D, FF), **norm(f"{name}.norm")}


def encoder_layer():
    return {**attention("attn"), **norm("norm1"), **feed_forward()}


def decoder_layer():
    return {**attention("self_attn"), **attention("multihead_attn"), **norm("norm1"), **norm("norm2"), **feed_forward()}


layers = {"enc0": encoder_layer(), "enc1": encoder_layer(), "dec0": decoder_layer(), "dec1": decoder_layer()}
final_norm = norm("norm")
shared = {"src": draws.normal(B, T, D), "tgt": draws.normal(B, T, D), "memory_T": draws.normal(B, T, D),
          "memory_S": draws.normal(B, S, D), "cot": draws.cot(B, T, D)}
padding_T, padding_S = torch.zeros(B, T, dtype=torch.bool), torch.zeros(B, S, dtype=torch.bool)
padding_T[B - 1, T - 2:] = padding_S[0, S - 1] = True
MASKS = {"mask": "causal_mask", "padding": "padding_T", "memory_padding": "padding_S"}
shared.update(causal_mask=torch.ones(T, T, dtype=torch.bool).triu(1), padding_T=padding_T, padding_S=padding_S,
              final_norm=final_norm)


def case(id, calculate, leaves, wanted, /, **told):
    found = measured(calculate, leaves, {"y": shared["cot"]}, wanted)
    found.pop("exact", None)
    cases.append({"id": id, **told, **found})


def named(prefix, weights):
    return {f"{prefix}{name}": t for name, t in weights.items()}


# Cases of the lessons -------------------------------------------------------------------------------------------------

def seed_encoder(id, names, every=False):
    def calculate(leaves):
        y, seen = leaves["src"], {}
        for name in names:
            y = lesson.encoder_layer(lesson.below(leaves, f"{name}/"), y, H, seen)
        return {"y": y, **(seen if every else {})}
    inputs = {"src": shared["src"], **{key: t for name in names for key, t in named(f"{name}/", layers[name]).items()}}
    case(f"seed.{id}", calculate, inputs, list(inputs) if every else [], layers=names, inputs={"src": "src"})


def seed_decoder(id, names, memory, causal, chained=True, wanted=False):
    def calculate(leaves):
        x = y = leaves["tgt"]
        for name in names:
            y = lesson.decoder_layer(lesson.below(leaves, f"{name}/"), y if chained else x, leaves[memory], H, causal)
        return {"y": y}
    inputs = {"tgt": shared["tgt"], memory: shared[memory],
              **{key: t for name in names for key, t in named(f"{name}/", layers[name]).items()}}
    case(f"seed.{id}", calculate, inputs, list(inputs) if wanted else [], layers=names,
         inputs={"tgt": "tgt", "memory": memory}, causal=causal)


seed_encoder("encoder_layer", ["enc0"], every=True)
seed_encoder("encoder.2", ["enc0", "enc1"])
seed_encoder("encoder.2.clones", ["enc0", "enc0"])
for causal in (False, True):
    for memory in ("memory_T", "memory_S"):
        # The lesson splits heads by the query's length, so its code supports only memory_T.
        seed_decoder(f"decoder_layer.{'causal' if causal else 'nocausal'}.{memory}", ["dec0"], memory, causal,
                     wanted=causal and memory == "memory_S")
seed_decoder("decoder.2.as_written", ["dec0", "dec1"], "memory_T", True, chained=False)
seed_decoder("decoder.2.chained", ["dec0", "dec1"], "memory_T", True)


# Cases of PyTorch -----------------------------------------------------------------------------------------------------

ATTENTIONS = {"enc": {"self_attn": "attn"}, "dec": {"self_attn": "self_attn", "multihead_attn": "multihead_attn"}}
NORMS = {"enc": {"norm1": "norm1", "norm2": "feed_forward.norm"},
         "dec": {"norm1": "norm1", "norm2": "norm2", "norm3": "feed_forward.norm"}}


def state(name):
    """The weights of a layer by PyTorch's names."""
    kind, own, found = name[:3], layers[name], {}
    for new, old in ATTENTIONS[kind].items():
        for end in ("weight", "bias"):
            found[f"{new}.in_proj_{end}"] = torch.cat([own[f"{old}.weight_{part}.{end}"] for part in "qkv"])
            found[f"{new}.out_proj.{end}"] = own[f"{old}.concat_linear.{end}"]
    renamed = {**{part: f"feed_forward.{part}" for part in ("linear1", "linear2")}, **NORMS[kind]}
    found.update({f"{new}.{end}": own[f"{old}.{end}"] for new, old in renamed.items() for end in ("weight", "bias")})
    return found


def nn_case(id, names, activation, norm_first, masks, final=False, wanted=False):
    is_encoder = names[0].startswith("enc")
    cls = nn.TransformerEncoderLayer if is_encoder else nn.TransformerDecoderLayer
    layer = cls(D, H, FF, activation=activation, batch_first=True, norm_first=norm_first).eval()
    given = {key: shared[MASKS[key]] for key in masks}
    options = {("src" if is_encoder else "tgt") + "_mask": given.get("mask"),
               ("src" if is_encoder else "tgt") + "_key_padding_mask": given.get("padding")}
    if not is_encoder:
        options["memory_key_padding_mask"] = given.get("memory_padding")
    x = {"src": shared["src"]} if is_encoder else {"tgt": shared["tgt"], "memory": shared["memory_S"]}

    def calculate(leaves):
        y, *memory = (leaves[key] for key in x)
        for name in names:
            y = functional_call(layer, lesson.below(leaves, f"{name}/"), (y, *memory), options)
        return {"y": nn.functional.layer_norm(y, [D], leaves["norm.weight"], leaves["norm.bias"]) if final else y}
    inputs = {**x, **{key: t for name in names for key, t in named(f"{name}/", state(name)).items()},
              **(final_norm if final else {})}
    case(id, calculate, inputs, list(inputs) if wanted else [], layers=names, norm_first=norm_first, activation=activation,
         masks={key: {"ref": MASKS[key]} for key in masks}, **({"final_norm": True} if final else {}))
    if wanted:
        cases[-1]["grads"] = {name.split("/")[-1]: t for name, t in cases[-1]["grads"].items()}


for norm_first in (True, False):
    place = "pre" if norm_first else "post"
    for activation in ("relu", "gelu"):
        tag = f"{place}.{activation}"
        for title, masks in (("none", []), ("causal", ["mask"]), ("padding", ["padding"]), ("both", ["mask", "padding"])):
            nn_case(f"nn.encoder_layer.{tag}.{title}", ["enc0"], activation, norm_first, masks,
                    wanted=(tag, title) == ("pre.gelu", "both"))
        for title, masks in (("none", []), ("causal", ["mask"]), ("all", list(MASKS))):
            nn_case(f"nn.decoder_layer.{tag}.{title}", ["dec0"], activation, norm_first, masks,
                    wanted=(tag, title) == ("post.relu", "all"))
    nn_case(f"nn.encoder.2.{place}", ["enc0", "enc1"], "gelu", norm_first, ["padding"], final=True)
    nn_case(f"nn.decoder.2.{place}", ["dec0", "dec1"], "gelu", norm_first, ["mask", "memory_padding"], final=True)

save("blocks", "encoder and decoder layers in eval mode; made by blocks.py", B=B, T=T, S=S, d=D, h=H, ff=FF, eps=1e-5,
     nn_memory="memory_S", rtol=RTOL, shared=shared, layers=layers, cases=cases)
print(len(cases), "cases")
