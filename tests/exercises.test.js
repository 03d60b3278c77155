// "Write it yourself": every solution passes, every typical mistake is recognized as itself, starters fail, and texts
// are complete.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all } from '../web/exercises/all.js'
import { checkCode, mistakeCode } from '../web/exercises/check.js'
import { withComments } from '../web/exercises/comments.js'
import { exportCases, toPython } from '../web/exercises/export_cases.js'
import { createNotebook, toSnakeCase } from '../web/exercises/export_exercises.js'
import { EXERCISES } from '../web/exercises/index.js'
import { readRunValues } from '../web/exercises/read_run.js'
import { findShortcut } from '../web/exercises/report.js'
import { createRandom } from '../web/exercises/random.js'
import { loadExerciseList, loadExerciseTexts } from '../web/words/exercises.js'
import { LANGUAGES } from '../web/words/index.js'
import { translator } from '../web/lib/text.js'
import { gf } from './lib/engine.js'
import { pageRun } from './lib/page.js'

const runs = { dates: pageRun({ model: 'dates' }), induction: pageRun({ model: 'induction' }) }

/** What the page sends of its run. */
const valuesOf = ({ values = [], model = 'dates' }) => readRunValues(runs[model], values)
const partsOf = ({ uses = [] }) => uses.map(id => ({ name: all[id].name, code: all[id].solution }))
const evaluate = globalThis.eval
const check = (exercise, source, parts = partsOf(exercise), values = valuesOf(exercise)) => (
  checkCode(exercise, { source, parts, values }, { gf, evaluate, scope: globalThis, countOutputs: () => 0 }))
globalThis.gf = gf

test('the list and the worker have the same exercises', async () => {
  assert.deepEqual(EXERCISES.map(({ id }) => id), Object.keys(all))
  for (const { id, load } of EXERCISES) assert.equal((await load()).exercise, all[id])
})

for (const [id, exercise] of Object.entries(all)) {
  test(`${id}: the solution passes with and without the page's run, the starter does not`, () => {
    for (const values of [valuesOf(exercise), null]) {
      const { report, error } = check(exercise, exercise.solution, partsOf(exercise), values)
      assert.equal(error, undefined)
      assert.deepEqual(report.failure, null)
      assert.ok(report.passed && report.cases.length >= 2, id)
      assert.equal(report.cases.some(({ id: name }) => name === 'sentence'), Boolean(values && exercise.values))
    }
    const { report } = check(exercise, exercise.starter)
    assert.equal(report.passed, false)
    assert.equal(report.mistake, null, 'a starter is no mistake')
  })

  test(`${id}: every mistake fails and is recognized as itself`, () => {
    assert.ok(Object.keys(exercise.mistakes).length >= 2, 'at least two')
    for (const values of [valuesOf(exercise), null]) {
      for (const [name, mistake] of Object.entries(exercise.mistakes)) {
        if (typeof mistake !== 'string') assert.equal(exercise.solution.split(mistake[0]).length, 2, `${name}: ${mistake[0]}`)
        const { report } = check(exercise, mistakeCode(exercise, name), partsOf(exercise), values)
        assert.equal(report.passed, false, name)
        assert.equal(report.mistake, name)
      }
    }
  })
}

test('every language has a title, texts of at most 60 words, hints and a sentence for every mistake', async () => {
  for (const language of Object.keys(LANGUAGES)) {
    const { list, cases } = await loadExerciseList(language)
    assert.deepEqual(Object.keys(list), EXERCISES.map(({ id }) => id))
    for (const [id, exercise] of Object.entries(all)) {
      const { what, hints, mistakes, comments } = await loadExerciseTexts(language, id)
      for (const code of [exercise.starter, exercise.solution]) {
        const names = Array.from(code.matchAll(/\$(\w+)/g), ([, name]) => name)
        assert.deepEqual(names, Object.keys(comments ?? {}), `${language}/${id}`)
      }
      assert.ok(what.split(/\s+/).length <= 60, `${language}/${id}: ${what.split(/\s+/).length} words`)
      assert.ok(hints.length === 2 || hints.length === 3, id)
      assert.deepEqual(Object.keys(mistakes), Object.keys(exercise.mistakes), `${language}/${id}`)
      const names = Object.keys(exercise.cases({ gf, values: null, random: createRandom(gf) }))
      for (const name of names) assert.ok(cases[name], name)
      for (const text of [what, ...hints, ...Object.values(mistakes)]) assert.ok(!text.includes('!'), text)
    }
  }
})

const exportNotebook = async code => JSON.parse(await createNotebook(
  'en', translator(await loadExerciseList('en')), async id => ({ report: exportCases(all[id], gf) }), code))

test('the notebook for PyTorch has every exercise: text, starter, and the engine\'s numbers as assertions', async () => {
  const { cells } = await exportNotebook()
  const texts = await Promise.all(EXERCISES.map(({ id }) => loadExerciseTexts('en', id)))
  assert.equal(cells.length, 2 + 3 * EXERCISES.length)
  for (const [i, { id }] of EXERCISES.entries()) {
    const { torch, cases, name } = all[id], [text, code, checks] = cells.slice(2 + 3 * i).map(({ source }) => source.join(''))
    assert.match(text, /^## .+\n\n.+/)
    assert.equal(code, withComments(all[id], texts[i].comments).torch.starter)
    assert.ok(!code.includes('$'), code)
    assert.notEqual(torch.starter, torch.solution, id)
    const count = Object.values(cases({ gf, values: null, random: createRandom(gf) })).filter(Boolean).length
    assert.equal(checks.split(`assert_same(${toSnakeCase(name)}(*[`).length, count + 1, id)
  }
})

test('values as Python writes them', () => {
  const tensors = [gf.tensor([[1, 0.5], [NaN, -Infinity]]), gf.tensor([2], { dtype: 'int32' })]
  const values = [...tensors, [1, 'a', null, true], { k: 1e-7 }]
  assert.deepEqual(values.map(toPython), [
    "torch.tensor([[1, 0.5], [float('nan'), float('-inf')]], dtype=torch.float32)",
    'torch.tensor([2], dtype=torch.int64)', '[1, "a", None, True]', '{"k": 1e-7}'
  ])
})

test('earlier functions are called as their exercises declare them', () => {
  for (const [id, { uses = [], name, starter }] of Object.entries(all)) {
    assert.match(starter, new RegExp(`^function ${name}\\(.*\\) \\{$`, 'm'), id)
    for (const used of uses) assert.ok(Object.keys(all).indexOf(used) < Object.keys(all).indexOf(id), `${id}: ${used}`)
  }
})

test('code that calls the engine\'s own function gets a note; no solution does', () => {
  const found = Object.values(all).map(({ solution, shortcuts: own }) => findShortcut(solution, own))
  assert.deepEqual(found.filter(Boolean), [])
  const { shortcuts } = all.softmax
  assert.equal(findShortcut('function softmax(x) {\n  return x.softmax(-1)\n}', shortcuts), '.softmax(')
  assert.equal(findShortcut('function norm(x) {\n  return gf.functional.layerNorm(x, [3])\n}'), 'gf.functional')
  assert.equal(findShortcut('// as gf.nn.LayerNorm\nfunction norm(x) {}'), null)
})

/** The solution of an exercise as a function. */
const solutionOf = id => evaluate(`(() => { ${all[id].solution}\n;return ${all[id].name} })()`)
const areClose = (got, expected, tolerance = 1e-4) => got.forEach((value, i) => (
  assert.ok(Math.abs(value - expected[i]) < tolerance, `${i}: ${value}, not ${expected[i]}`)))

test('what the reader writes about a head, a score and a patch is what gf.interpret computes', async () => {
  const { induction } = runs, { exportable: { model, inputs } } = induction.workerRun, [ids] = Object.values(inputs)
  const run = gf.observe(() => model.forward(ids), { modules: { model } }), [layer] = [1]
  const at = all.attribution.cases({ gf, values: valuesOf(all.attribution), random: createRandom(gf) }).sentence
  const token = model.forward(ids).select(1, -1).argmax().item()
  const { parts } = gf.interpret.logitAttribution(run, { token })
  areClose([solutionOf('attribution')(...at).item()],
    [parts.find(part => part.role === 'head' && part.layer === layer && part.head === 3).value])
  const score = all.induction.cases({ gf, values: valuesOf(all.induction), random: createRandom(gf) }).sentence
  areClose([solutionOf('induction')(...score)], [gf.interpret.headScores(run).induction[layer][3]], 1e-5)
  assert.ok(score[1].length > 8)
  run.dispose()

  const [clean, corrupted] = [[0, 71, 79, 72, 80, 71], [0, 71, 80, 72, 79, 71]], name = 'model.decoder.layers.0.output'
  const metric = logits => logits.at(0, -1, 79) - logits.at(0, -1, 80)
  const map = await gf.interpret.patch({
    model, clean: [clean], corrupted: [corrupted], targets: [name], metric, normalize: true, modules: { model } })
  const streamOf = text => {
    const { trace } = gf.trace(() => model.forward([text]), { modules: { model } })
    const value = trace.get(name).detach().squeeze(0).clone()
    trace.dispose()
    return value
  }
  const { layers: [, last], norm } = model.decoder
  const measure = x => metric(model.output.forward(norm.forward(last.forward(x.unsqueeze(0), { isCausal: true }))))
  areClose(solutionOf('patching')(streamOf(corrupted), streamOf(clean), measure), map.values[0])
})
