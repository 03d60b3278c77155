/**
 * A stand-in for the translator's run: tensors of the right names, shapes and axes with values from a toy stream, so
 * that rooms can be tested without wasm. The numbers do not follow from each other.
 */

import { axesOf } from '../../web/model/axes.js'

const SOURCE = { tokens: ['may', '3'], ids: [2, 1] }
const TARGET = { tokens: ['<s>', '5', '월', '3'], ids: [1, 3, 4, 5] }
const WORDS = { sourceWord: ['<pad>', '3', 'may'], targetWord: ['<pad>', '<s>', '</s>', '5', '월', '3'] }
const [C, H, F, S, T, V] = [4, 2, 6, SOURCE.ids.length, TARGET.ids.length, WORDS.targetWord.length]

function attention(at, rows, cols) {
  const tokens = { q: rows, k: cols, v: cols, heads: rows, output: rows }
  const flat = Object.entries(tokens).map(([name, count]) => [`${at}.${name}`, [1, count, C]])
  const square = ['dots', 'scores', 'masked_scores', 'weights'].map((name) => [`${at}.${name}`, [1, H, rows, cols]])
  return [...flat, ...square, [`${at}.in_proj_weight`, [3 * C, C]], [`${at}.in_proj_bias`, [3 * C]],
    [`${at}.out_proj.weight`, [C, C]], [`${at}.out_proj.bias`, [C]]]
}

const norm = (at) => [[`${at}.weight`, [C]], [`${at}.bias`, [C]]]

function layer(at, tower) {
  const count = tower === 'encoder' ? S : T
  const norms = tower === 'encoder' ? [1, 2] : [1, 2, 3]
  return [
    ...attention(`${at}.self_attn`, count, count),
    ...(tower === 'decoder' ? attention(`${at}.multihead_attn`, T, S) : []),
    ...norms.flatMap((n) => [...norm(`${at}.norm${n}`), [`${at}.residual${n}`, [1, count, C]],
      [n === norms.length ? `${at}.output` : `${at}.norm${n}.output`, [1, count, C]]]),
    [`${at}.linear1.weight`, [F, C]], [`${at}.linear1.bias`, [F]], [`${at}.linear1.output`, [1, count, F]],
    [`${at}.activation`, [1, count, F]], [`${at}.linear2.weight`, [C, F]], [`${at}.linear2.bias`, [C]],
    [`${at}.linear2.output`, [1, count, C]]
  ]
}

const shapes = [
  ['source_embedding.weight', [WORDS.sourceWord.length, C]], ['source_embedding.output', [1, S, C]],
  ['target_embedding.weight', [V, C]], ['target_embedding.output', [1, T, C]], ['positions.pe', [8, C]],
  ['positions.output', [1, S, C]], ['positions.output:2', [1, T, C]],
  ...['encoder', 'decoder'].flatMap((tower) => [
    ...[0, 1].flatMap((n) => layer(`transformer.${tower}.layers.${n}`, tower)), ...norm(`transformer.${tower}.norm`),
    [`transformer.${tower}.output`, [1, tower === 'encoder' ? S : T, C]]
  ]),
  ['output.weight', [V, C]], ['output.bias', [V]], ['output', [1, T, V]],
  ...['tempered', 'output'].map((name) => [`softmax.${name}`, [1, T, V]]),
  ...['cut', 'mask', 'output'].map((name) => [`choice.${name}`, [1, T, V]]),
  ['softmax.inverse_temperature', [1]]
]

function values(size, name) {
  let state = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7)
  return Float32Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  })
}

function make([name, shape]) {
  const data = values(shape.reduce((a, b) => a * b, 1), name)
  if (/choice\.output$|softmax\.output$/.test(name)) {
    for (let start = 0; start < data.length; start += V) {
      const row = data.subarray(start, start + V).map(Math.exp)
      const total = row.reduce((a, b) => a + b)
      data.set(row.map((x) => x / total), start)
    }
  }
  return [name, { name, shape, data, ...axesOf(name, shape) }]
}

const last = (tower) => (tower === 'encoder' ? 2 : 3)

/** What each tensor was made from, for those a room asks about. */
function inputs() {
  const map = new Map([['output', { x: 'transformer.decoder.output' }]])
  for (const tower of ['encoder', 'decoder']) {
    map.set(`transformer.${tower}.output`, { x: `transformer.${tower}.layers.1.output` })
    for (const n of [0, 1]) {
      const at = `transformer.${tower}.layers.${n}`
      const second = tower === 'decoder' ? ':2' : ''
      const x = n ? `transformer.${tower}.layers.0.output` : `positions.output${second}`
      for (const part of 'qkv') map.set(`${at}.self_attn.${part}`, { x })
      for (const part of 'kv') map.set(`${at}.multihead_attn.${part}`, { x: 'transformer.encoder.output' })
      map.set(`${at}.multihead_attn.q`, { x: `${at}.norm1.output` })
      map.set(`${at}.linear1.output`, { x: `${at}.norm${last(tower) - 1}.output` })
      map.set(`${at}.activation`, { x: `${at}.linear1.output` })
      map.set(`${at}.linear2.output`, { x: `${at}.activation` })
      for (let i = 1; i <= last(tower); i++) {
        const from = i === 1 ? x : `${at}.norm${i - 1}.output`
        const change = i === 1 ? 'self_attn' : i === last(tower) ? 'linear2' : 'multihead_attn'
        map.set(`${at}.residual${i}`, { a: from, b: `${at}.${change}.output` })
        map.set(i === last(tower) ? `${at}.output` : `${at}.norm${i}.output`, { x: `${at}.residual${i}` })
      }
    }
  }
  return map
}

/** @returns {object} a run as runTranslation gives it, without its functions */
export function fakeTranslation() {
  const aliases = new Map(['encoder', 'decoder'].flatMap((tower) => {
    const norm = [`transformer.${tower}.norm.output`, `transformer.${tower}.output`]
    const layers = [0, 1].map((n) => `transformer.${tower}.layers.${n}`)
    return [norm, ...layers.map((at) => [`${at}.norm${last(tower)}.output`, `${at}.output`])]
  }))
  aliases.set('output.output', 'output')
  return {
    settings: {
      model: 'trained', dModel: C, heads: H, layers: 2, scale: true, temperature: 1, activation: 'relu', dropout: 0
    },
    tensors: new Map(shapes.map(make)), aliases, inputs: inputs(), loss: 1,
    curve: { x: Float32Array.of(-1, 0, 1), y: Float32Array.of(0, 0, 1) },
    texts: ['may 3'], tokens: [SOURCE.tokens], ids: [SOURCE.ids], padding: [[false, false]], vocab: WORDS.sourceWord,
    labels: { source: SOURCE.tokens, target: TARGET.tokens, ...WORDS }, source: SOURCE, target: TARGET,
    decoding: {
      kind: 'greedy', tree: null, best: null,
      steps: [3, 4, 5, 2].map((id) => ({ id, token: WORDS.targetWord[id], draw: null }))
    }
  }
}
