// Two models that others have trained, dropped on the page: a sorter, held to its PyTorch intermediates, and a
// storyteller, held to its text. They lie in no repository; MODELS names the folder with their files.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultsOf } from '../../web/models/index.js'
import { toHash } from '../../web/models/state.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { toPageRun } from '../lib/page.js'
import { changeAndWait, dropFiles, completeState, useBrowser } from './host.js'
import { compareTables } from './room_tables.js'

const { MODELS } = process.env
const options = { skip: !MODELS && 'MODELS names no folder' }
const browser = useBrowser()

/** Numbers as the sorter's files have them. */
function numbersOf({ data }) {
  const { buffer, byteOffset, length } = Buffer.from(data, 'base64')
  return new Float32Array(buffer.slice(byteOffset, byteOffset + length))
}

/** The sorter in a folder as Hugging Face's hub would have it, and what PyTorch had computed. */
async function sorterIn(folder) {
  const [weights, partials] = await Promise.all(['model', 't0-partials'].map(async name => (
    JSON.parse(await readFile(join(MODELS, `gpt-nano-sort-${name}.json`), 'utf8')))))
  const { config: { n_layer, n_head, n_embd, vocab_size, block_size: n_positions }, ...named } = weights
  const tensors = Object.fromEntries(Object.entries(named).map(([name, tensor]) => (
    [name, gf.tensor(numbersOf(tensor), { shape: tensor.shape })])))
  const files = {
    'config.json': JSON.stringify({ model_type: 'gpt2', n_layer, n_head, n_embd, vocab_size, n_positions }),
    'model.safetensors': gf.saveSafetensors(tensors)
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return { files, partials }
}

/** PyTorch's names for what the run of the sorter computes. */
const layer = (n, name) => `h.${n}.${name}`
const SAME = {
  tok_emb: 'wte.output', pos_emb: 'wpe.output', x: 'add', ln1: layer(0, 'norm1.output'), q: layer(0, 'self_attn.q'),
  k: layer(0, 'self_attn.k'), v: layer(0, 'self_attn.v'), att: layer(0, 'self_attn.masked_scores'),
  attSm: layer(0, 'self_attn.weights'), y: layer(0, 'self_attn.heads'), yProj: layer(0, 'self_attn.output'),
  attnResid: layer(0, 'residual1'), ln2: layer(0, 'norm2.output'), fc: layer(0, 'linear1.output'),
  gelu: layer(0, 'activation'), mlp: layer(0, 'linear2.output'), mlpResid: layer(0, 'output'), block0: layer(0, 'output'),
  block1: layer(1, 'output'), block2: layer(2, 'output'), ln_f: 'ln_f.output', lm_head: 'lm_head.output',
  probs: 'sampling.probabilities'
}

/** Numbers of one text [H, T, D] as [T, H D]. */
function joined(values, [, H, T, D]) {
  return Float32Array.from(values, (_, i) => {
    const [t, h, d] = [Math.floor(i / (H * D)), Math.floor(i / D) % H, i % D]
    return values[(h * T + t) * D + d]
  })
}

test('the sorter: numbers agree with Node, which agrees with PyTorch within rounding', options, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'sorter-')), { files, partials } = await sorterIn(folder)
  const model = await openModel(files), ids = numbersOf(partials.idx), [texts, T] = partials.idx.shape, read = 6
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await dropFiles(page, ['config.json', 'model.safetensors'].map(name => join(folder, name)))
  assert.match(await page.textContent('.bring-type'), /^gpt2: 85,728 parameters/)
  await changeAndWait(page, () => page.click('.bring .primary'))
  let count = 0, max = 0
  for (let text = 0; text < texts; text++) {
    const textIds = [...ids.subarray(text * T, (text + 1) * T)]
    const state = { beginning: textIds.slice(0, read).join(' '), target: [...textIds.slice(read), 0].join(' '), language: 'en' }
    const importedRun = runOwn(gf, { ...defaultsOf('own'), model: 'own', ...state }, [], [model])
    const { beginning, target } = state
    await page.evaluate(link => { location.hash = link }, toHash(completeState({ model: 'own', ...state })))
    await page.waitForFunction(([text, answer]) => {
      const houseText = document.querySelector('.house-now')?.textContent
      return houseText?.includes(`read “${text}” as`) && houseText.includes(`scored your answer “${answer}”`)
    }, [beginning, target.replaceAll(' ', '')])
    count += await compareTables(page, toPageRun(gf, importedRun), state, text, texts)
    for (const [name, tensor] of Object.entries(SAME)) {
      const { shape } = partials[name], all = numbersOf(partials[name]), size = all.length / shape[0]
      const some = all.subarray(shape[0] === 1 ? 0 : text * size, shape[0] === 1 ? size : (text + 1) * size)
      const expected = ['q', 'k', 'v'].includes(name) ? joined(some, shape) : some, { values } = importedRun.run.tensor(tensor)
      assert.equal(values.length, expected.length, name)
      values.forEach((value, i) => {
        const difference = Object.is(value, expected[i]) ? 0 : Math.abs(value - expected[i])
        assert.ok(difference < 4e-6, `${name}[${i}] of text ${text}: ${value} and ${expected[i]}`)
        max = Math.max(max, difference)
      })
    }
    importedRun.run.dispose()
  }
  t.diagnostic(`${count} numbers on the page, ${Object.keys(SAME).length} tensors of ${texts} texts within ${max} of PyTorch's`)
  assert.ok(count > 20_000)
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})

const STORY = 'Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she ' +
  'saw a big, red ball.'

test('the storyteller generates its story, and numbers agree with Node', options, async t => {
  const names = ['stories260K.bin', 'tok512.bin'], paths = names.map(name => join(MODELS, name))
  const files = {}
  for (const [i, name] of names.entries()) files[name] = await readFile(paths[i])
  const { page, complaints, close } = await browser.open({ language: 'en' })
  await dropFiles(page, paths)
  assert.match(await page.textContent('.bring-type'), /^llama: 260,032 parameters, 1\.04 MB/)
  await changeAndWait(page, () => page.click('.bring .primary'))
  const state = { beginning: 'Once upon a time', language: 'en' }
  const importedRun = runOwn(gf, { ...defaultsOf('own'), model: 'own', ...state }, [], [await openModel(files)])
  const count = await compareTables(page, toPageRun(gf, importedRun), state, 0, 4)
  importedRun.run.dispose()
  t.diagnostic(`${count} numbers`)
  assert.ok(count > 10_000)
  await changeAndWait(page, () => page.evaluate(() => { location.hash += '&beginning=&maxNewTokens=64' }))
  const answer = await page.getAttribute('[data-field="target"]', 'placeholder')
  assert.ok(answer.startsWith(STORY), answer)
  assert.deepEqual(complaints, [])
  await close()
})
