#!/usr/bin/env python3
"""SmallGPT in PyTorch, written by glassformer.

    python SmallGPT.py --weights model.safetensors --check        compares with glassformer's output
    python SmallGPT.py --weights model.safetensors --train 100    continues training, saves trained.safetensors
    torchrun --nproc_per_node 4 SmallGPT.py --weights model.safetensors --train 100    on several processes or machines
"""
import argparse
import base64
import json
import math
import os
import struct

import torch
from torch import nn
import torch.nn.functional as F


# The model -----------------------------------------------------------------------------------------------------------

def decoded(text, dtype, shape):
    """A tensor from base64."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype).reshape(shape)


def causal(x, memory=None, window=0):
    """A mask that is True where a key is hidden: keys after the query or, if window > 0, keys at least window positions away on
    either side."""
    queries, keys = x.shape[1], (x if memory is None else memory).shape[1]
    ahead = torch.arange(keys, device=x.device) - torch.arange(queries, device=x.device)[:, None]
    return ahead.abs() >= window if window else ahead > 0


def rms_norm(x, weight, eps):
    normalized = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    return normalized if weight is None else normalized * weight


class RMSNorm(nn.Module):
    """torch.nn.RMSNorm, which came with PyTorch 2.4."""

    def __init__(self, channels, eps=2 ** -23, elementwise_affine=True):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels)) if elementwise_affine else None
        self.eps = eps

    def forward(self, x):
        return rms_norm(x, self.weight, self.eps)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = RMSNorm(4)
        self.attn = nn.MultiheadAttention(4, 2, batch_first=True)
        self.up = nn.Linear(4, 8)
        self.down = nn.Linear(8, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        norm = self.norm(x)
        attn = self.attn(norm, norm, norm, attn_mask=causal(norm), need_weights=False)
        drop = self.drop(attn[0])
        add = x + drop
        up = self.up(add)
        silu = F.silu(up)
        down = self.down(silu)
        drop_2 = self.drop(down)
        output = add + drop_2
        return output


class SmallGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(1))
        self.wte = nn.Embedding(7, 4)
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
        self.norms = nn.ModuleDict({
            'last': nn.LayerNorm(4, eps=0.001)
        })
        self.head = nn.Linear(4, 7, bias=False)
        self.unused = nn.Linear(4, 2)

    def forward(self, ids):
        wte = self.wte(ids)
        mul = wte * self.gain
        blocks_0 = self.blocks[0](mul)
        blocks_1 = self.blocks[1](blocks_0)
        blocks_2 = self.blocks[2](blocks_1)
        last = self.norms['last'](blocks_2)
        head = self.head(last)
        return head


def build():
    model = SmallGPT()
    model.head.weight = model.wte.weight
    return model


# Weights ------------------------------------------------------------------------------------------------------------

KINDS = {'F64': torch.float64, 'F32': torch.float32, 'F16': torch.float16, 'BF16': torch.bfloat16, 'I64': torch.int64,
         'I32': torch.int32, 'I16': torch.int16, 'I8': torch.int8, 'U8': torch.uint8, 'BOOL': torch.bool}


def load_weights(path):
    """The tensors of a safetensors file by name, with or without the safetensors package."""
    try:
        from safetensors.torch import load_file
        return load_file(path)
    except ImportError:
        pass
    with open(path, 'rb') as file:
        header = json.loads(file.read(struct.unpack('<Q', file.read(8))[0]))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != '__metadata__':
            part = bytearray(data[slice(*entry['data_offsets'])])
            flat = torch.frombuffer(part, dtype=KINDS[entry['dtype']]) if part else torch.empty(0)
            tensors[name] = flat.reshape(entry['shape'])
    return tensors


def save_weights(tensors, path):
    """Writes a safetensors file, which glassformer reads with gf.loadSafetensors."""
    header, parts, end = {}, [], 0
    for name, tensor in tensors.items():
        part = bytes(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        kind = next(kind for kind, dtype in KINDS.items() if dtype == tensor.dtype)
        header[name] = {'dtype': kind, 'shape': list(tensor.shape), 'data_offsets': [end, end + len(part)]}
        parts.append(part)
        end += len(part)
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + b''.join(parts))


# Inputs and outputs of glassformer ------------------------------------------------------------------------------------

def call(model, input):
    return model(input)


INPUTS = [
    torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int64)
]
EXPECTED = {  # step and values: every step-th value of an output
    'output': (1, decoded('jNa9QJ4NfkDUqSVAcK3HP6xSHMCit6S+bIL4Ps/oUECcwMO9K2kAQJtwEEB/V2fABe6UPUDnab1wTBQ+mlcowGxQXz9sHvY/lR1AwOkr7z3blJa/cDY/vwuL3D9Vipm/sJ8IwH2ZSEAvIIo+Y2obQAbHMEC/68Y/sPJIP4BBwbz1YeC+ks8lP7LxbEBgqXBAppMxQCycjT+gvkq9Opy0vkyW+z5m8mpA', torch.float32, (42,)))
}


def named(output):
    """The outputs of a model by name."""
    if isinstance(output, dict):
        return output
    if isinstance(output, (list, tuple)):
        return {f'output_{i}': one for i, one in enumerate(output)}
    return {'output': output}


def check(model, tolerance=1e-4):
    """Compares the outputs with glassformer's; float32 rounding differs."""
    model.eval()
    # Not inference_mode or no_grad, which would select PyTorch's fast path: the check runs the code of training.
    output, worst = named(call(model, *INPUTS)), 0.0
    for name, (step, expected) in EXPECTED.items():
        numbers = output[name].detach().double().flatten()[::step]
        expected = expected.double().flatten()
        difference = ((numbers - expected).abs() / expected.abs().clamp(min=1)).max().item() if len(expected) else 0.0
        print(f'{name} {list(output[name].shape)}: differs by {difference:.2e}')
        worst = difference if math.isnan(difference) else max(worst, difference)
    if not worst <= tolerance:
        raise SystemExit(f'not the same: {worst:.2e} > {tolerance:.0e}')
    print('the same')


# Training -----------------------------------------------------------------------------------------------------------

def batches(device):
    """Yields random batches like the example. Put your data here: each process should read its own part."""
    while True:
        inputs = [torch.randint(0, 7, (2, 3), device=device)]
        yield inputs, inputs[-1]


def loss_of(output, inputs, target):
    """Put your loss here."""
    output = named(output)['output']  # the next token
    return F.cross_entropy(output[:, :-1].flatten(0, 1), target[:, 1:].flatten())


def train(model, steps, lr, path):
    """Every process computes gradients of its own batches; DistributedDataParallel averages them."""
    has_cuda, is_many = torch.cuda.is_available(), 'RANK' in os.environ
    if is_many:
        torch.distributed.init_process_group('nccl' if has_cuda else 'gloo')
    rank = torch.distributed.get_rank() if is_many else 0
    device = torch.device('cuda', int(os.environ.get('LOCAL_RANK', 0))) if has_cuda else torch.device('cpu')
    torch.manual_seed(rank)
    model.to(device).train()
    parallel = nn.parallel.DistributedDataParallel(
        model, device_ids=[device.index] if has_cuda else None, find_unused_parameters=True) if is_many else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    for step, (inputs, target) in zip(range(1, steps + 1), batches(device)):
        loss = loss_of(call(parallel, *inputs), inputs, target)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if rank == 0 and (step % 10 == 0 or step in (1, steps)):
            print(f'step {step}: loss {loss.item():.4f}', flush=True)
    if rank == 0:
        save_weights(model.state_dict(), path)
        print(f'wrote {path}')
    if is_many:
        torch.distributed.destroy_process_group()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--weights', help='a safetensors file with the state dict')
    arguments.add_argument('--check', action='store_true', help='compare with the output of glassformer')
    arguments.add_argument('--train', type=int, default=0, metavar='STEPS')
    arguments.add_argument('--lr', type=float, default=1e-4)
    arguments.add_argument('--out', default='trained.safetensors')
    options = arguments.parse_args()
    if options.check and not options.weights:
        arguments.error('--check needs the weights of the exported model: pass their file with --weights')
    model = build()
    if options.weights:
        model.load_state_dict(load_weights(options.weights))
    if options.check:
        check(model)
    if options.train:
        train(model, options.train, options.lr, options.out)


if __name__ == '__main__':
    main()
