// The port of PyTorch's random numbers, compared with golden rng.json without tolerance.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { assertSame } from '../lib/compare.js'
import { assertSummary } from '../lib/summary.js'
import { dropoutScale, embeddingInit, Generator, linearInit, multiheadAttentionInit,
  xavierInit } from '../../src/reference/random.js'

const golden = loadGolden('rng')

for (const entry of golden.seeds) {
  const createGenerator = () => new Generator(entry.seed)
  const assertGolden = (data, name) => assertSame({ shape: entry[name].shape, data }, entry[name], name)

  test(`seed ${entry.seed}: 32-bit words`, () => {
    const generator = createGenerator()
    const words = Array.from({ length: 1001 }, () => generator.word())
    assert.deepEqual(words.slice(0, 8), entry.words)
    assert.equal(words[1000], entry.word_1000)
  })

  test(`seed ${entry.seed}: uniforms and normals`, () => {
    assertGolden(createGenerator().rand(20), 'rand_20')
    const generator = createGenerator()
    assertGolden(
      Array.from({ length: 5 }, () => generator.uniform64()),
      'rand_f64_5'
    )
    assertGolden(createGenerator().uniforms(9, ...entry.uniform_args), 'uniform_')
    assertGolden(createGenerator().normal(21, ...entry.normal_args), 'normal_')
    for (const count of [5, 16, 17, 40]) assertGolden(createGenerator().randn(count), `randn_${count}`)
  })

  test(`seed ${entry.seed}: the second normal of a pair is saved for the next call`, () => {
    const { calls, values, then_rand } = entry.randn_sequence
    const generator = createGenerator()
    calls.forEach((count, i) => assertSame(generator.randn(count), values[i], `call ${i}`))
    assertSame(generator.rand(2), then_rand, 'rand afterwards')
  })

  test(`seed ${entry.seed}: integers`, () => {
    for (const count of [10, 33]) assertGolden(createGenerator().randperm(count), `randperm_${count}`)
    for (const { low, high, values } of entry.randint) {
      assertSame(createGenerator().randint(low, high, values.data.length), values, `randint ${low} ${high}`)
    }
  })

  test(`seed ${entry.seed}: dropout masks`, () => {
    for (const { shape, p, scale, mask, kept } of entry.dropout) {
      const keepMask = createGenerator().dropoutMask(
        shape.reduce((a, b) => a * b),
        p
      )
      assert.equal(keepMask.slice(0, mask.length).join(''), mask)
      assert.equal(
        keepMask.reduce((a, b) => a + b),
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
      assertSummary(embeddingInit(createGenerator(), rows, width).weight, entry[`embedding_${rows}x${width}`], 'embedding')
    }
    for (const [inputs, outputs] of [
      [16, 16],
      [7, 5]
    ]) {
      const { weight, bias } = linearInit(createGenerator(), inputs, outputs)
      assertSummary(weight, entry[`linear_${inputs}_${outputs}.weight`], 'linear weight')
      assertSummary(bias, entry[`linear_${inputs}_${outputs}.bias`], 'linear bias')
    }
    assertSummary(xavierInit(createGenerator(), 36, 12), entry.xavier_uniform_36x12, 'xavier')
  })

  test(`seed ${entry.seed}: the attention module initializes its parameters in PyTorch's order`, () => {
    const parameters = multiheadAttentionInit(createGenerator(), golden.module_sizes.d)
    const expected = Object.fromEntries(entry.modules.nn_multihead_attention.map(item => [item.name, item]))
    for (const [name, values] of Object.entries(parameters)) assertSummary(values, expected[name], name)
  })
}
