// The lists of faults follow the code: what they name stands there, so that the programs that put it in can run.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ROOT } from './copies.js'
import { FAULTS } from './faults.js'
import { KNOWN } from './known.js'

test('every fault quotes existing source and changes it', () => {
  for (const [file, found, to] of [...FAULTS, ...KNOWN]) {
    assert.ok(readFileSync(ROOT + file, 'utf8').includes(found), `${file} has no more: ${found}`)
    assert.notEqual(found, to, file)
  }
})
