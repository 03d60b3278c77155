import { indent } from './python.js'

/**
 * The parts of a script around its classes.
 *
 * @typedef {object} Parts
 * @property {string} name of the model
 * @property {string[]} helpers
 * @property {{ name: string, text: string }[]} classes
 * @property {string} build lines that create `model`
 * @property {string[]} inputs names
 * @property {string} call expression that calls the model with the inputs
 * @property {string} example lines that define INPUTS and EXPECTED
 * @property {string} batches body of a generator of batches @property {string} loss body of the loss function
 * @property {boolean} hasUnused whether some parameters get no gradient
 */

/** @param {Parts} parts */
const opening = ({ name }) => `#!/usr/bin/env python3
"""${name} in PyTorch, written by glassformer.

    python ${name}.py --weights model.safetensors --check        compares with glassformer's output
    python ${name}.py --weights model.safetensors --train 100    continues training, saves trained.safetensors
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
`

/** @param {Parts} parts */
const checking = ({ inputs, call, example }) => `# Inputs and outputs of glassformer ------------------------------------------------------------------------------------

def call(${['model', ...inputs].join(', ')}):
    return ${call}


${example}


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
`

/** @param {Parts} parts */
const training = ({ batches, loss, hasUnused }) => `# Training -----------------------------------------------------------------------------------------------------------

def batches(device):
    """Yields random batches like the example. Put your data here: each process should read its own part."""
${indent(batches)}


def loss_of(output, inputs, target):
    """Put your loss here."""
${indent(loss)}


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
${indent(build)}


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
`

/** @param {Parts} parts @returns {string} */
export function scriptText(parts) {
  const { helpers, classes } = parts
  const classTexts = classes.map(({ name, text }) => `class ${name}(nn.Module):\n${indent(text)}`)
  const model = `# The model ${'-'.repeat(107)}\n\n${[...helpers, ...classTexts].map(text => `${text}\n`).join('\n\n')}`
  return [opening(parts), model, `${main(parts).split('\n\n\ndef main')[0]}\n`, FILES, checking(parts), training(parts),
    `def main${main(parts).split('\n\n\ndef main')[1]}`].join('\n\n')
}
