// The costs of a run by room, compared with independent counts: from the file of the weights, and by formulas.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { costsByRoom, addCosts } from '../../web/lib/costs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { costs } from '../../web/worker/interpret.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'

/** The number of values in a file of weights, from its header. */
async function numbersIn(path) {
  const bytes = await readFile(new URL(`../../web/models/${path}`, import.meta.url))
  const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString())
  return Object.entries(header).filter(([name]) => name !== '__metadata__' && !/(^|\.)pe$/.test(name))
    .reduce((sum, [, { shape }]) => sum + shape.reduce((size, side) => size * side, 1), 0)
}

const lengthOf = stream => stream.tokens[0].length

/** The multiply-adds of an encoder layer for T positions. */
const block = (T, C, F) => 4 * T * C * C + 2 * T * T * C + 2 * T * C * F
const MODELS = {
  dates: {
    file: 'dates/date_translator.safetensors',
    products({ source, target }) {
      const [S, T, C, F] = [lengthOf(source), lengthOf(target), 32, 64]
      const cross = 2 * T * C * C + 2 * S * C * C + 2 * T * S * C
      return 2 * block(S, C, F) + 2 * (block(T, C, F) + cross) + T * C * target.vocabulary.length
    }
  },
  stories: {
    file: 'stories/stories.safetensors',
    products: ({ text }, { C, F }) => 2 * block(lengthOf(text), C, F) + lengthOf(text) * C * text.vocabulary.length
  },
  induction: {
    file: 'induction/induction.safetensors',
    products: ({ text }, { C }) => 2 * block(lengthOf(text), C, 0) + lengthOf(text) * C * text.vocabulary.length
  },
  particles: {
    file: 'particles/particles.safetensors',
    products: ({ text, answer }, { C, F }) => (
      2 * block(lengthOf(text), C, F) + lengthOf(text) * C * answer.vocabulary.length)
  }
}

for (const [model, { file, products }] of Object.entries(MODELS)) {
  test(`${model}: counts parameters as the file, multiply-adds as the formulas, and bytes as the tensors`, async () => {
    const run = pageRun({ model }), rooms = roomsOf(run), found = costs(gf, run.workerRun.run)
    const sums = costsByRoom(run, rooms, found), whole = addCosts([...sums.values()])
    const shapeOf = end => [...run.tensors.values()].find(({ name }) => name.endsWith(end))?.shape ?? []
    const [C] = shapeOf('out_proj.weight'), [, F] = shapeOf('linear2.weight')
    assert.equal(whole.parameters, await numbersIn(file))
    assert.equal(whole.multiplyAdds, products(run.streams, { C, F }))
    const computed = [...run.tensors.values()].filter(({ op, origin }) => op && !origin)
    assert.equal(whole.bytes, computed.reduce((sum, { data }) => sum + 4 * data.length, 0))
    assert.deepEqual([sums.get('')?.multiplyAdds ?? 0, sums.get('')?.parameters ?? 0], [0, 0])
    const shown = rooms.filter(({ stage }) => stage === 'scores').map(({ id }) => sums.get(id).multiplyAdds)
    const tokens = lengthOf(Object.values(run.streams)[0])
    assert.equal(shown[0], tokens * tokens * C)
    run.dispose()
  })
}

test('for twice the text, projections cost twice as much and attention four times as much', () => {
  const [one, two] = ['1 2', '1 2 1 2'].map(text => pageRun({ model: 'sentences', text, tokenizer: 'whitespace' }))
  const [a, b] = [one, two].map(run => costsByRoom(run, roomsOf(run), costs(gf, run.workerRun.run)))
  const id = stage => roomsOf(one).find(room => room.stage === stage).id
  assert.equal(b.get(id('qkv')).multiplyAdds, 2 * a.get(id('qkv')).multiplyAdds)
  assert.equal(b.get(id('scores')).multiplyAdds, 4 * a.get(id('scores')).multiplyAdds)
  assert.equal(b.get(id('qkv')).parameters, a.get(id('qkv')).parameters)
  one.dispose()
  two.dispose()
})
