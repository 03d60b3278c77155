// The port of PyTorch's random numbers against golden rng.json: every value the very same, no tolerance.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertSummary } from '../lib/summary.js'
import { dropoutScale, embeddingInit, Generator, linearInit, multiheadAttentionInit,
  xavierInit } from '../../src/reference/random.js'

const golden = loadGolden('rng')

for (const entry of golden.seeds) {
  const fresh = () => new Generator(entry.seed)
  const same = (draw, name) => assertSame({ shape: entry[name].shape, data: draw }, entry[name], name)

  test(`seed ${entry.seed}: words`, () => {
    const generator = fresh()
    const words = Array.from({ length: 1001 }, () => generator.word())
    assert.deepEqual(words.slice(0, 8), entry.words)
    assert.equal(words[1000], entry.word_1000)
  })

  test(`seed ${entry.seed}: uniforms and normals`, () => {
    same(fresh().rand(20), 'rand_20')
    const generator = fresh()
    same(
      Array.from({ length: 5 }, () => generator.uniform64()),
      'rand_f64_5'
    )
    same(fresh().uniforms(9, ...entry.uniform_args), 'uniform_')
    same(fresh().normal(21, ...entry.normal_args), 'normal_')
    for (const count of [5, 16, 17, 40]) same(fresh().randn(count), `randn_${count}`)
  })

  test(`seed ${entry.seed}: the second normal of a pair is saved for the next call`, () => {
    const { calls, values, then_rand } = entry.randn_sequence
    const generator = fresh()
    calls.forEach((count, i) => assertSame(generator.randn(count), values[i], `call ${i}`))
    assertSame(generator.rand(2), then_rand, 'rand afterwards')
  })

  test(`seed ${entry.seed}: integers`, () => {
    for (const count of [10, 33]) same(fresh().randperm(count), `randperm_${count}`)
    for (const { low, high, values } of entry.randint) {
      assertSame(fresh().randint(low, high, values.data.length), values, `randint ${low} ${high}`)
    }
  })

  test(`seed ${entry.seed}: dropout masks`, () => {
    for (const { shape, p, scale, mask, kept } of entry.dropout) {
      const drawn = fresh().dropoutMask(
        shape.reduce((a, b) => a * b),
        p
      )
      assert.equal(drawn.slice(0, mask.length).join(''), mask)
      assert.equal(
        drawn.reduce((a, b) => a + b),
        kept
      )
      assert.equal(dropoutScale(p), Math.fround(scale))
    }
  })

  test(`seed ${entry.seed}: initial weights`, () => {
    for (const [rows, width] of [
      [13, 4],
      [14, 4],
      [5, 16]
    ]) {
      assertSummary(embeddingInit(fresh(), rows, width).weight, entry[`embedding_${rows}x${width}`], 'embedding')
    }
    for (const [inputs, outputs] of [
      [16, 16],
      [7, 5]
    ]) {
      const { weight, bias } = linearInit(fresh(), inputs, outputs)
      assertSummary(weight, entry[`linear_${inputs}_${outputs}.weight`], 'linear weight')
      assertSummary(bias, entry[`linear_${inputs}_${outputs}.bias`], 'linear bias')
    }
    assertSummary(xavierInit(fresh(), 36, 12), entry.xavier_uniform_36x12, 'xavier')
  })

  test(`seed ${entry.seed}: the attention module's order of draws`, () => {
    const drawn = multiheadAttentionInit(fresh(), golden.module_sizes.d)
    const expected = Object.fromEntries(entry.modules.nn_multihead_attention.map(item => [item.name, item]))
    for (const [name, values] of Object.entries(drawn)) assertSummary(values, expected[name], name)
  })
}
