import { indented } from './python.js'

/**
 * The text of a script around its classes.
 *
 * @typedef {object} Parts
 * @property {string} name of the model
 * @property {string[]} helpers
 * @property {{ name: string, text: string }[]} classes
 * @property {string} build lines that make `model`
 * @property {string[]} inputs names
 * @property {string} call how the model is called with them
 * @property {string} example lines that make INPUTS and EXPECTED
 * @property {string} batches a function that draws batches @property {string} loss the body of a loss
 * @property {boolean} hasUnused some parameters get no gradient
 */

/** @param {Parts} parts */
const opening = ({ name }) => `#!/usr/bin/env python3
"""${name} in PyTorch, written by glassformer.

    python ${name}.py --weights model.safetensors --check        compares with the numbers glassformer had
    python ${name}.py --weights model.safetensors --train 100    goes on training, into trained.safetensors
    torchrun --nproc_per_node 4 ${name}.py --weights model.safetensors --train 100    on several processes or machines
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
`

const FILES = `# Weights ------------------------------------------------------------------------------------------------------------

KINDS = {'F64': torch.float64, 'F32': torch.float32, 'F16': torch.float16, 'BF16': torch.bfloat16, 'I64': torch.int64,
         'I32': torch.int32, 'I16': torch.int16, 'I8': torch.int8, 'U8': torch.uint8, 'BOOL': torch.bool}


def load_weights(path):
    """The tensors of a safetensors file by name; without the safetensors package it is read here."""
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
    """A safetensors file, which glassformer reads back: gf.loadSafetensors."""
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
`

/** @param {Parts} parts */
const checking = ({ inputs, call, example }) => `# What glassformer was given and gave ----------------------------------------------------------------------------------

def call(${['model', ...inputs].join(', ')}):
    return ${call}


${example}


def named(made):
    """What a model gives, by name."""
    if isinstance(made, dict):
        return made
    if isinstance(made, (list, tuple)):
        return {f'output_{i}': one for i, one in enumerate(made)}
    return {'output': made}


def check(model, tolerance=1e-4):
    """Whether the model gives the numbers that glassformer had, as far as float32 goes."""
    model.eval()
    # Not inference_mode or no_grad: with gradients PyTorch's layers take the way that they are trained by.
    made, worst = named(call(model, *INPUTS)), 0.0
    for name, (step, expected) in EXPECTED.items():
        numbers = made[name].detach().double().flatten()[::step]
        expected = expected.double().flatten()
        difference = ((numbers - expected).abs() / expected.abs().clamp(min=1)).max().item() if len(expected) else 0.0
        print(f'{name} {list(made[name].shape)}: differs by {difference:.2e}')
        worst = difference if math.isnan(difference) else max(worst, difference)
    if not worst <= tolerance:
        raise SystemExit(f'not the same: {worst:.2e} > {tolerance:.0e}')
    print('the same')
`

/** @param {Parts} parts */
const training = ({ batches, loss, hasUnused }) => `# Training -----------------------------------------------------------------------------------------------------------

def batches(device):
    """Draws numbers like those of the example, for ever. Put your data here: each process should read its own share."""
${indented(batches)}


def loss_of(made, inputs, target):
    """Put your loss here."""
${indented(loss)}


def train(model, steps, lr, path):
    """Every process computes the gradients of its own batches; DistributedDataParallel takes their mean."""
    has_cuda, is_many = torch.cuda.is_available(), 'RANK' in os.environ
    if is_many:
        torch.distributed.init_process_group('nccl' if has_cuda else 'gloo')
    rank = torch.distributed.get_rank() if is_many else 0
    device = torch.device('cuda', int(os.environ.get('LOCAL_RANK', 0))) if has_cuda else torch.device('cpu')
    torch.manual_seed(rank)
    model.to(device).train()
    parallel = nn.parallel.DistributedDataParallel(
        model, device_ids=[device.index] if has_cuda else None${hasUnused ? ', find_unused_parameters=True' : ''}) if is_many else model
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
`

/** @param {Parts} parts */
const main = ({ build }) => `def build():
${indented(build)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--weights', help='a safetensors file with the state dict')
    arguments.add_argument('--check', action='store_true', help='compare with the numbers of glassformer')
    arguments.add_argument('--train', type=int, default=0, metavar='STEPS')
    arguments.add_argument('--lr', type=float, default=1e-4)
    arguments.add_argument('--out', default='trained.safetensors')
    given = arguments.parse_args()
    if given.check and not given.weights:
        arguments.error('--check compares the weights glassformer had: give their file by --weights')
    model = build()
    if given.weights:
        model.load_state_dict(load_weights(given.weights))
    if given.check:
        check(model)
    if given.train:
        train(model, given.train, given.lr, given.out)


if __name__ == '__main__':
    main()
`

/** @param {Parts} parts @returns {string} */
export function scriptText(parts) {
  const { helpers, classes } = parts
  const own = classes.map(({ name, text }) => `class ${name}(nn.Module):\n${indented(text)}`)
  const model = `# The model ${'-'.repeat(107)}\n\n${[...helpers, ...own].map(text => `${text}\n`).join('\n\n')}`
  return [opening(parts), model, `${main(parts).split('\n\n\ndef main')[0]}\n`, FILES, checking(parts), training(parts),
    `def main${main(parts).split('\n\n\ndef main')[1]}`].join('\n\n')
}
