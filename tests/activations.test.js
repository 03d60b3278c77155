import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { goldenCases } from './golden/index.js'
import { RULES } from '../src/js/export/onnx_ops.js'
import { toSnakeCase } from '../src/js/interface/letter_case.js'
import * as modules from '../src/js/nn/index.js'
import { UNARY } from '../src/js/ops/unary.js'
import { FUNCTIONS, MODULES } from '../src/js/interface/signatures.js'
import { unaryNames } from '../src/reference/elementwise.js'

const kernels = readFileSync(new URL('../src/c/ops/unary.h', import.meta.url), 'utf8')
const moduleNames = new Map(Object.keys(modules).map(name => [name.toLowerCase(), name]))
const signatures = JSON.parse(readFileSync(new URL('golden/signatures.json', import.meta.url), 'utf8'))
const goldenNames = new Set(goldenCases('arithmetic', 'unary').map(({ params }) => params.op))

/** The files of an activation, beside src/js/ops/unary.js, and whether it is in them. */
const FILES = {
  'src/c/ops/unary.h': name => kernels.includes(`X(${toSnakeCase(name)}, `),
  'src/reference/elementwise.js': name => unaryNames.includes(name),
  'src/js/interface/signatures.js': name => name in FUNCTIONS && moduleNames.get(name.toLowerCase()) in MODULES,
  'src/js/nn/functions.js': name => moduleNames.has(name.toLowerCase()),
  'src/js/export/onnx_ops.js': name => toSnakeCase(name) in RULES,
  'tests/golden/signatures.py, run with PyTorch 1.13.1': name => toSnakeCase(name) in signatures.FUNCTIONS,
  'tests/golden/arithmetic.py, run with PyTorch 1.13.1': name => goldenNames.has(name)
}

const isActivation = name => UNARY[name].kind === 'activation'

for (const name of Object.keys(UNARY).filter(isActivation)) test(`${name} is in every file that an activation needs`, () => {
  assert.deepEqual(Object.keys(FILES).filter(file => !FILES[file](name)), [], `${name} is missing in these files`)
})
