"""A small tutorial on the page's induction model in plain PyTorch, float64: which head wrote the next token, what patching
of the residual stream and of heads does between two texts, and gradient times input. Writes interpret.json."""
import json
import math
import pathlib
import struct

import torch

HERE = pathlib.Path(__file__).parent
FILE = HERE / "../../web/models/induction/induction.safetensors"
HEADS, LAYERS, WIDTH = 4, 2, 16
# Ids of the induction model. The texts are "<start> Kara tea Ben milk Kara" and the same with the two things exchanged; the
# model goes on with what followed Kara before.
START, KARA, BEN, TEA, MILK = 0, 71, 72, 79, 80
CLEAN, CORRUPTED = [START, KARA, TEA, BEN, MILK, KARA], [START, KARA, MILK, BEN, TEA, KARA]


def read_weights():
    raw = FILE.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header, body = json.loads(raw[8:8 + length]), raw[8 + length:]
    return {name: torch.frombuffer(bytearray(body[slice(*entry["data_offsets"])]), dtype=torch.float32)
            .reshape(entry["shape"]).double() for name, entry in header.items() if name != "__metadata__"}


W = read_weights()


def norm(x, name):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], W[f"{name}.weight"], W[f"{name}.bias"], 1e-5)


def forward(ids, patch=None, embedded=None):
    """Logits [T, V], the residual stream before each layer and at the end, and by layer the heads' outputs, weights, values."""
    def patched(kind, layer, value, head=None):
        if patch is None or patch[:3] != (kind, layer, head if kind == "head" else patch[2]):
            return value
        if kind == "head":
            return patch[3]
        return torch.cat([value[:patch[2]], patch[3][None], value[patch[2] + 1:]])

    x = (W["embedding.weight"][ids] if embedded is None else embedded) + W["positions.weight"][:len(ids)]
    stream, heads = [x], []
    for layer in range(LAYERS):
        x, path = patched("residual", layer, x), f"decoder.layers.{layer}"
        y = norm(x, f"{path}.norm1")
        packed = y @ W[f"{path}.self_attn.in_proj_weight"].T + W[f"{path}.self_attn.in_proj_bias"]
        later, own = torch.ones(len(ids), len(ids)).triu(1).bool(), []
        for head in range(HEADS):
            q, k, v = (part[:, head * WIDTH:(head + 1) * WIDTH] for part in packed.chunk(3, -1))
            weights = (q @ k.T / math.sqrt(WIDTH)).masked_fill(later, -math.inf).softmax(-1)
            own.append((patched("head", layer, weights @ v, head), weights, v))
        joined = torch.cat([output for output, _, _ in own], -1)
        x = x + joined @ W[f"{path}.self_attn.out_proj.weight"].T + W[f"{path}.self_attn.out_proj.bias"]
        stream.append(x)
        heads.append(own)
    return norm(x, "decoder.norm") @ W["output.weight"].T + W["output.bias"], stream, heads


def main():
    token, against, clean, corrupted = TEA, MILK, CLEAN, CORRUPTED

    def metric(logits):
        return logits[-1, token] - logits[-1, against]

    logits, stream, heads = forward(clean)
    last = stream[-1][-1]
    direction = W["decoder.norm.weight"] * (W["output.weight"][token] - W["output.weight"][against])
    direction = direction / (last.var(unbiased=False) + 1e-5).sqrt()
    direction = direction - direction.mean()
    parts = []
    for layer in range(LAYERS):
        for head, (output, weights, v) in enumerate(heads[layer]):
            read = direction @ W[f"decoder.layers.{layer}.self_attn.out_proj.weight"][:, head * WIDTH:(head + 1) * WIDTH]
            parts.append({"layer": layer, "head": head, "value": (output[-1] @ read).item(),
                          "sources": (weights[-1] * (v @ read)).tolist()})
    embedded = W["embedding.weight"][clean].clone().requires_grad_()
    metric(forward(clean, embedded=embedded)[0]).backward()

    def patch(*where):
        return metric(forward(corrupted, where)[0]).item()

    return {
        "clean": clean, "corrupted": corrupted, "token": token, "against": against, "total": metric(logits).item(),
        "corruptedTotal": metric(forward(corrupted)[0]).item(), "heads": parts,
        "residual": [[patch("residual", layer, t, stream[layer][t]) for t in range(len(clean))] for layer in range(LAYERS)],
        "byHead": [[patch("head", layer, head, heads[layer][head][0]) for head in range(HEADS)] for layer in range(LAYERS)],
        "gradientTimesInput": (embedded.grad * embedded.detach()).sum(-1).tolist(),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    (HERE / "interpret.json").write_text(json.dumps(main()) + "\n")
