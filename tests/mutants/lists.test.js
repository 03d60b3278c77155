// The lists of faults follow the code: what they name stands there, so that the programs that put it in can run.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ROOT } from './copies.js'
import { EQUIVALENT } from './equivalent.js'
import { FAULTS } from './faults.js'
import { KNOWN } from './known.js'

test('every fault quotes existing source and changes it', () => {
  for (const [file, found, to] of [...FAULTS, ...KNOWN]) {
    assert.ok(readFileSync(ROOT + file, 'utf8').includes(found), `${file} has no more: ${found}`)
    assert.notEqual(found, to, file)
  }
})

test('every equivalent change quotes an existing line', () => {
  for (const key of Object.keys(EQUIVALENT)) {
    const [, file, line, found] = key.match(/^(\S+): (.*) \[(\S+) -> \S+\]$/)
    const lines = readFileSync(ROOT + file, 'utf8').split('\n').map(one => one.trim())
    assert.ok(lines.includes(line) && line.includes(found), `${file} has no more: ${line} with ${found}`)
  }
})
