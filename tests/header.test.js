// The library's copy of the kernels' constants is that of glassformer.h.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import * as constants from '../src/js/constants.js'

test('every constant has the value it has in glassformer.h', async () => {
  const header = await readFile(new URL('../src/c/glassformer.h', import.meta.url), 'utf8')
  const there = new Map([...header.matchAll(/\bGF_(\w+) = (-?\d+)/g)].map(([, name, value]) => [name, Number(value)]))
  for (const [name, value] of Object.entries(constants)) assert.equal(value, there.get(name), name)
})
