// glassformer export --figure: a room as SVG without a browser, with the engine's numbers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { EXPORTABLE_ROOMS, exportFigure } from '../dist/elements/export_figure.js'
import { READY } from '../web/models/index.js'
import { formatFixed } from '../web/lib/number.js'
import { stageOf } from '../web/lib/stage_registry.js'
import { startOf } from '../web/models/state.js'
import { gf } from './lib/engine.js'
import { createView, firstRooms, makeDetachedRun } from './lib/page.js'

const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url))
const ELEMENTS = new URL('../dist/elements/', import.meta.url)
const run = args => spawnSync(process.execPath, [CLI, 'export', ...args], { encoding: 'utf8', timeout: 20_000 })
const readWeights = name => readFile(new URL(name, ELEMENTS))
const textsOf = svg => [...svg.matchAll(/<text[^>]*text-anchor="middle"[^>]*dominant-baseline="central">([^<]*)/g)].map(([, text]) => text)
let folder
before(async () => { folder = await mkdtemp(join(tmpdir(), 'glassformer-')) })
after(() => rm(folder, { recursive: true }))

test('the command saves a room with its head, text and language; every number is the engine\'s', async () => {
  const out = join(folder, 'weights.svg'), input = 'may 3 1999'
  const { status, stdout, stderr } = run(['--figure', 'weights', '--model', 'dates', '--input', input, '--head', '2', '--lang', 'ko', '-o', out])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^.*weights\.svg {2}[\d.]+ KB\n$/)
  const svg = await readFile(out, 'utf8')
  assert.ok(svg.includes(`인코더 층 0 · 셀프 어텐션 · 소프트맥스 · 헤드 2 · ${input}`), svg.slice(0, 900))
  const there = makeDetachedRun({ model: 'dates', source: input })
  const { part } = stageOf('weights').picture(there, createView(there, 'encoder.0.self_attn.weights', { head: 2 }))
  assert.deepEqual(textsOf(svg), Array.from(part.values, value => formatFixed(value, 2)))
  assert.equal(run(['--figure', 'weights', '-o', out]).status, 2, 'a file that exists is not overwritten')
})

test('every kind that is offered can be drawn, from every model that has it', async () => {
  const drawn = new Set()
  for (const { id: model } of READY) {
    const there = makeDetachedRun(startOf(model, 'en'))
    for (const id of firstRooms(model)) {
      const { room, picture } = createView(there, id)
      if (!EXPORTABLE_ROOMS.includes(room.stage)) continue
      const svg = await exportFigure(gf, { model, room: id, theme: 'dark', lang: 'en' }, readWeights), { part } = picture(room)
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/)
      assert.ok(!/NaN|undefined/.test(svg), `${model} ${id}`)
      assert.ok((svg.match(/<rect/g) ?? []).length > part.values.length, `${model} ${id}`)
      drawn.add(room.stage)
    }
  }
  assert.deepEqual(EXPORTABLE_ROOMS.filter(kind => !drawn.has(kind)), [])
})

test('what cannot be drawn is named, and so is what can', () => {
  const out = join(folder, 'none.svg')
  for (const [args, reason] of [
    [['--figure', 'house', '-o', out], /--figure: 'house' needs a browser; these can be exported: embedding, .*weights/],
    [['--figure', 'soup', '-o', out], /--figure: “soup” is not one of these: .*weights/],
    [['--figure', 'weights', '--head', '4', '-o', out], /--head: “4” is not one of these: 0 … 3/],
    [['--figure', 'embedding', '--head', '1', '-o', out], /--head: “1” is not one of these: 0\n/],
    [['--figure', 'weights', '--model', 'gpt', '-o', out], /--model: “gpt” is not one of these: dates/],
    [['--figure', 'weights', '--settings', 'soup=1', '-o', out], /--settings: “soup” is not one of these/],
    [['--figure', 'weights', '--input', 'x'.repeat(500), '-o', out], /--input: /],
    [['--figure', 'weights', '--model', 'stories', '--settings', 'norm=rms', '-o', out], /--settings: the weights stories_norm_rms\.safetensors/]
  ]) {
    const { status, stderr } = run(args)
    assert.deepEqual([status, reason.test(stderr)], [2, true], `${args.slice(0, 5)}: ${stderr}`)
  }
})
