// The library's copy of the kernels' constants is that of glassformer.h.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import * as constants from '../src/js/engine/constants.js'

test('every constant has the value it has in glassformer.h and blocks.h', async () => {
  const read = path => readFile(new URL(path, import.meta.url), 'utf8')
  const header = await read('../src/c/glassformer.h') + await read('../src/c/blocks/blocks.h')
  const there = new Map([...header.matchAll(/\bGF_(\w+) = (-?\d+)/g)].map(([, name, value]) => [name, Number(value)]))
  for (const [name, value] of Object.entries(constants)) assert.equal(value, there.get(name), name)
})
