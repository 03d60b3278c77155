// Lessons: every state is one, every text is there, every answer is one of those on offer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fit } from '../../web/figures/math.js'
import { FINDERS, findFault } from '../../web/lessons/hunt/find.js'
import { LESSONS, PATH, placeOfLesson } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { findNearMiss } from '../../web/lessons/near_miss.js'
import { representativeCell, rowValues } from '../../web/lessons/run_values.js'
import { stateOfStep, placeholderValues } from '../../web/lessons/steps.js'
import { formatFixed, formatProbability, parseFormatted } from '../../web/lib/number.js'
import { getTensor } from '../../web/lib/run.js'
import { translator } from '../../web/lib/text.js'
import { MODELS, problemsOf, settingsOf } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { positionOnTour } from '../../web/shell/frame.js'
import { defaults, fromHash, patchFrom, toHash } from '../../web/models/state.js'
import { LANGUAGES, loadTexts } from '../../web/words/index.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { makeDetachedRun } from '../lib/page.js'

const ALWAYS = ['title', 'text']
/** Chinese has no spaces; a word has about as many characters. */
const CHARACTERS_PER_WORD = 1.6
const lessons = await Promise.all(LESSONS.map(async entry => ({
  ...entry, ...await loadLesson(entry.id),
  texts: Object.fromEntries(await Promise.all(
    Object.keys(LANGUAGES).map(async language => [language, await loadLessonTexts(language, entry.id)])))
})))
const valuesIn = text => [...text.matchAll(/\{(\w+)/g)].map(match => match[1])
const runOf = state => {
  const { edits, ...settings } = settingsOf(state)
  return makeDetachedRun(settings, edits)
}

/** A step with what it is in: before the answer, and where there is such a thing, with the answer in sight. */
function phases(lesson, step, language) {
  const start = { ...defaults(step.model ?? lesson.model), lesson: lesson.id, at: lesson.steps.indexOf(step) }
  const link = (text, run, state) => (typeof text === 'function' ? text(run, { state }) : text[language] ?? text)
  const state = stateOfStep(lesson, link(step.state), start, language, step.model)
  const run = runOf(state)
  if (!step.answerState) return [{ state, run, before: null }]
  const text = link(step.answerState, run, state)
  const then = stateOfStep(lesson, text, state, language)
  return [{ state, run, before: null }, { state: then, run: runOf(then), before: run, text }]
}

/** Every known mistake is another number than the right one, and has a text that says which it is. */
function checkMistakes({ id, question }, texts, { run, ...now }, right, values) {
  const mistakes = question.mistakes?.(run, now) ?? []
  assert.deepEqual(Object.keys(texts.reasons ?? {}).sort(), mistakes.map(mistake => mistake.id).sort(), id)
  const known = mistakes.filter(({ value }) => Math.abs(value - right) > question.tolerance)
  assert.ok(known.length > 0 || !question.mistakes, `${id}: mistakes that differ from the right number`)
  for (const { id: mistake, value } of known) {
    assert.equal(findNearMiss(run, question, now, value, right)?.id, mistake, `${id}: ${value}`)
    for (const name of valuesIn(texts.reasons[mistake])) assert.ok(name === 'given' || /\S/.test(values[name]), `${id}.${mistake}: {${name}}`)
  }
}

for (const lesson of lessons) for (const language of Object.keys(LANGUAGES)) {
  test(`${lesson.id}, ${language}: states are valid, texts are complete, correct answers are among the options`, () => {
    assert.equal(lesson.steps.length, lesson.stepCount)
    assert.ok(MODELS.some(({ id }) => id === lesson.model))
    assert.equal(Boolean(lesson.theatre), !placeOfLesson(lesson.id).next, 'something comes after it')
    const words = lesson.texts[language]
    assert.ok(words.title)
    // The lessons with a step for the reader's own text say there what is known.
    assert.ok(lesson.steps.at(-1).id === 'yours' || /\{(text|date)\b/.test(words.end), 'what is known at the end')
    assert.deepEqual(Object.keys(words.steps), lesson.steps.map(({ id }) => id))
    for (const step of lesson.steps) {
      const texts = words.steps[step.id]
      const [first, ...rest] = phases(lesson, step, language)
      const last = rest.at(-1) ?? first
      for (const { state, run } of [first, ...rest]) {
        assert.deepEqual(problemsOf(state), {}, step.id)
        assert.ok(roomsOf(run).some(({ id }) => id === state.room), `${step.id}: ${state.room}`)
        assert.deepEqual(fromHash(toHash(state)), state, step.id)
      }
      const questionKeys = step.question ? ['ask', 'right', 'wrong', ...(step.answerState ? [] : ['hint'])] : step.task ? ['ask', 'right'] : []
      for (const key of [...ALWAYS, ...questionKeys]) assert.ok(texts[key]?.trim(), `${step.id}.${key}`)
      const knownKeys = [...ALWAYS, ...questionKeys, 'options', 'paper', 'paperTitle', 'whose', ...(step.question ? ['paperWhy', 'paperHint', 'hint', 'reasons', 'reason'] : []),
        ...(step.figure ? ['figure'] : []), ...(step.task ? ['feedback'] : [])]
      assert.deepEqual(Object.keys(texts).filter(key => !knownKeys.includes(key)), [], step.id)
      const valuesByKey = {
        before: placeholderValues(step, texts, first.run, first), after: placeholderValues(step, texts, last.run, last)
      }
      for (const [key, text] of Object.entries(texts)) {
        if (typeof text !== 'string' || key === 'reason') continue
        const values = ['right', 'wrong', 'paperWhy'].includes(key) ? valuesByKey.after : valuesByKey.before
        for (const name of valuesIn(text)) assert.match(String(values[name]), /\S/, `${step.id}.${key}: {${name}}`)
      }
      if (!step.question) continue
      const right = step.question.answer(last.run, last)
      if (!step.question.options) {
        assert.ok(Number.isFinite(right) && step.question.tolerance > 0, step.id)
        assert.ok(texts.hint ?? texts.reason, `${step.id}: why another number is wrong`)
        checkMistakes(step, texts, last, right, valuesByKey.before)
        continue
      }
      const options = step.question.options(first.run, first)
      assert.ok(options.length > 1 && options.length === new Set(options.map(({ id }) => id)).size, step.id)
      assert.ok(options.some(({ id }) => id === right), `${step.id}: ${right}`)
      for (const { id, text } of options) assert.match(text ?? texts.options[id], /^[^{]+$/, `${step.id}: ${id}`)
      for (const { id, text = texts.options?.[id] } of options.filter(({ id }) => id !== right)) {
        const why = texts.reasons?.[id] ?? texts.reason ?? texts.hint
        assert.ok(why, `${step.id}: why ${id} is wrong`)
        const values = { ...valuesByKey.before, given: text, ...step.question.given?.(first.run, first, id) }
        for (const name of valuesIn(why)) assert.match(String(values[name]), /^(?!.*(NaN|undefined)).*\S/, `${step.id}, ${id}: {${name}}`)
      }
      const unknown = Object.keys(texts.reasons ?? {}).filter(reason => !options.some(({ id }) => id === reason))
      assert.deepEqual(unknown, [], `${step.id}: reasons for other options`)
    }
  })
}

test('both languages have the same steps, and every link of a step survives a round trip', () => {
  for (const { texts: { ko, en }, steps, model, base } of lessons) {
    const keys = texts => Object.entries(texts.steps).map(([id, step]) => [id, Object.keys(step).sort()])
    assert.deepEqual(keys(ko), keys(en))
    const ofSteps = steps.flatMap(({ state, answerState, model: own }) => (
      [{ link: state, own }, { link: answerState, own }]))
    const links = [{ link: base }, ...ofSteps]
      .flatMap(({ link, own = model }) => (typeof link === 'string' ? [link] : link && typeof link === 'object' ? Object.values(link) : [])
        .map(text => [text, own]))
    for (const [link, own] of links) {
      const names = [...new URLSearchParams(link).keys()]
      assert.deepEqual(Object.keys(patchFrom(link, own)).sort(), names.sort(), link)
    }
  }
})

test('lessons name buttons by their labels on the page', async () => {
  const named = { break: 'inspector.change', round: 'app.theatre', hunt: 'app.settings' }
  for (const language of Object.keys(LANGUAGES)) {
    const t = translator((await loadTexts(language, true)).page)
    for (const [id, key] of Object.entries(named)) {
      const { text } = Object.values(lessons.find(lesson => lesson.id === id).texts[language].steps).at(-1)
      assert.match(text, new RegExp(`(‘${t(key)}’|“${t(key)}”|^${t(key)}\\b|\\. ${t(key)}\\b)`), `${id}, ${language}`)
      assert.doesNotMatch(text, /오른쪽|왼쪽|on the (right|left)|[左右][边侧]/, `${id}, ${language}: a phone has it below`)
    }
  }
})

test('options are words in the language of the gap', () => {
  const lesson = lessons.find(({ id }) => id === 'gap')
  for (const [language, of] of [['ko', /^[가-힣]+$/], ['en', /^[a-z]+$/], ['zh', /^[a-z]+$/]]) {
    for (const step of lesson.steps.filter(({ id }) => ['gap', 'other'].includes(id))) {
      const [firstPhase] = phases(lesson, step, language)
      const options = step.question.options(firstPhase.run, firstPhase).map(({ text }) => text)
      assert.equal(options.length, 4)
      assert.deepEqual(options.filter(text => !of.test(text)), [], `${step.id}, ${language}`)
    }
  }
})

test('the path has at most 18 lessons of 3 to 7 minutes, about 80 in all, by one rule', () => {
  assert.ok(PATH.length >= 14 && PATH.length <= 18)
  const total = PATH.reduce((sum, { minutes }) => sum + minutes, 0)
  assert.ok(total >= 70 && total <= 90, `${total} minutes`)
  for (const { minutes } of PATH) assert.ok(minutes >= 3 && minutes <= 7)
  // Half a minute to begin and end, 27 seconds a step to look and to act, and 150 words a minute.
  for (const { id, minutes, steps, texts: { en } } of lessons) {
    const words = Object.values(en.steps)
      .flatMap(({ title, text, ask = '', right = '' }) => [title, text, ask, right].join(' ').trim().split(/\s+/))
    assert.equal(minutes, Math.round(0.5 + 0.45 * steps.length + words.length / 150), id)
  }
})

test('the path carries one text: every lesson keeps the date, and a step with another model says so', () => {
  const ofPath = lessons.filter(({ id }) => PATH.some(lesson => lesson.id === id))
  for (const { id, model, userFields, steps, texts } of ofPath) {
    const isOfDates = model === 'dates' && userFields.includes('source')
    assert.ok(isOfDates || id === 'modern', `${id}: ${model}`)
    const firstOther = steps.find((step, i) => (step.model ?? model) !== 'dates' && (steps[i - 1]?.model ?? 'dates') === 'dates')
    if (firstOther) assert.match(texts.en.steps[firstOther.id].text, /\bdates?\b/i, `${id}.${firstOther.id}: why another model`)
  }
})

test('old addresses lead to the step that shows the same', () => {
  const places = {
    'lesson=block&step=2': ['feed_forward', 'layers'], 'lesson=block': ['feed_forward', 'alone'], 'lesson=block&step=9': ['feed_forward', 'stream'],
    'lesson=cache&step=3&language=en': ['modern', 'columns'], 'v=1&model=stories&lesson=cache&at=1&room=cache&language=en': ['modern', 'kept'],
    'v=1&model=particles&lesson=heads&at=1&gapped=x%5B%3F%5D': ['heads', 'size'], 'v=1&model=particles&lesson=attention&at=2&gapped=x%5B%3F%5D': ['gap', 'rows'],
    'lesson=attention&step=1': ['attention', 'write'], 'lesson=mask&step=3': ['mask', 'last']
  }
  for (const [address, [id, step]] of Object.entries(places)) {
    const { lesson, at, language, model } = fromHash(address), { steps } = lessons.find(item => item.id === lesson)
    assert.deepEqual([lesson, steps[Math.min(at, steps.length - 1)].id], [id, step], address)
    assert.equal(language, /language=en/.test(address) ? 'en' : 'auto', address)
    assert.equal(model, id === 'gap' ? 'particles' : 'dates', address)
  }
})

test('every task says what a wrong position gives, and which way to go', () => {
  const { points } = lessons.find(({ id }) => id === 'learning').steps[0].figure.options
  const line = (w, b) => ({ w, b, ...fit(points, w, b) })
  /** Positions of the figures, and which text they get. */
  const positions = {
    // A line below or above all points is moved before it is turned.
    'learning.rule': [[line(0.3, 1.5), 'low'], [line(1.43, 1.5), 'low'], [line(2, 6), 'high'], [line(0.3, 6.5), 'flat'], [line(2, 0.5), 'steep'],
      [line(1.2, 3.5), 'low'], [line(1.2, 4.5), 'high']],
    'learning.step': [[{ steps: 2 }, 'more']], 'learning.learn': [[{ loss: 0.5 }, 'more']], 'tokens.merge': [[{ merges: 1 }, 'more']],
    'vectors.arrow': [[{ a: [-2, 2] }, 'away']],
    'vectors.dot': [[{ dot: 3, lengths: [2, 3] }, 'acute'], [{ dot: -3, lengths: [2, 3] }, 'obtuse'], [{ dot: 0.1, lengths: [0.5, 3] }, 'short']],
    'vectors.similar': [[{ similarities: { cat: -1, elephant: 5, truck: -1 } }, 'cat'], [{ similarities: { cat: 5, elephant: 3, truck: -1 } }, 'elephant'],
      // On the side of small things.
      [{ similarities: { cat: 6.5, elephant: 4.5, truck: -7.5 } }, 'elephant'],
      [{ similarities: { cat: 5, elephant: 13, truck: 1 } }, 'truck']],
    'positions.clock': [[{ position: 0 }, 'start'], [{ position: 3 }, 'up'], [{ position: 7 }, 'down']],
    'query.ask': [[{ scores: [-2, 1, 0] }, 'low'], [{ scores: [5, 4.5, 0] }, 'rival']], 'query.weights': [[{ weights: [0.6, 0.3, 0.1] }, 'low']],
    'query.even': [[{ weights: [0.6, 0.3, 0.1] }, 'long']], 'query.mix': [[{ result: [2, 1] }, 'far']],
    'query.matrix': [[{ query: [0, 1] }, 'firstLow'], [{ query: [4, 1] }, 'firstHigh'], [{ query: [2, -1] }, 'secondLow'], [{ query: [2, 3] }, 'secondHigh']],
    'softmax.shares': [[{ weights: [0.6, 0.3, 0.1] }, 'low']],
    'softmax.ratio': [[{ weights: [0.4, 0.2, 0.4] }, 'uneven'], [{ weights: [0.4, 0.3, 0.3] }, 'low'], [{ weights: [0.8, 0.1, 0.1] }, 'high']],
    'softmax.temperature': [[{ weights: [0.6, 0.3, 0.1], temperature: 1 }, 'cold'], [{ weights: [0.6, 0.3, 0.1], temperature: 2 }, 'hot']],
    'feed_forward.bent': [[{ isBent: false, outs: [1, 1, 0], error: 4 }, 'straight'], [{ isBent: true, outs: [0, 1, 0], error: 4 }, 'raise'],
      [{ isBent: true, outs: [1, 1, 2], error: 4 }, 'lower']],
    'loss.surprise': [[{ probability: 0.3, loss: 1.2 }, 'low']], 'loss.chain': [[{ gradient: 12 }, 'high'], [{ gradient: -4 }, 'low']], 'large.scale': [[{ zoom: 5 }, 'near']],
    'grokking.circle': [[{ frequency: 3 }, 'up'], [{ frequency: 15 }, 'down']]
  }
  const tasks = lessons.flatMap(({ id, steps, texts }) => steps.filter(({ task }) => task)
    .map(({ id: step, task }) => ({ name: `${id}.${step}`, task, texts: Object.values(texts).map(words => words.steps[step].feedback) })))
  assert.deepEqual(tasks.map(({ name }) => name).sort(), Object.keys(positions).sort())
  for (const { name, task, texts } of tasks) {
    for (const [values, expected] of positions[name]) assert.equal(task.feedback(values).id, expected, name)
    for (const text of texts) {
      assert.deepEqual(Object.keys(text).sort(), [...new Set(positions[name].map(([, id]) => id))].sort(), name)
      for (const [values, id] of positions[name]) {
        const feedback = task.feedback(values), used = valuesIn(text[id])
        assert.ok(used.length > 0 || id === 'start', `${name}, ${id}: what the position gives`)
        for (const key of used) assert.match(feedback[key], /^[\d(−.]/, `${name}, ${id}: {${key}}`)
      }
    }
  }
})

test('whoever follows the advice on the clock arrives', () => {
  const { task } = lessons.find(({ id }) => id === 'positions').steps.find(({ id }) => id === 'clock')
  for (let first = 0; first < 32; first++) {
    let position = first
    for (let i = 0; i < 32 && !task.isDone({ position }); i++) position += task.feedback({ position }).id === 'down' ? -1 : 1
    assert.ok(task.isDone({ position }), `from ${first}`)
  }
})

test('the answer to a wrong number says what it is, or repeats it', () => {
  const lesson = lessons.find(({ id }) => id === 'attention'), step = lesson.steps.find(({ id }) => id === 'scale')
  const { run, state } = phases(lesson, step, 'en').at(-1), now = { state }, right = step.question.answer(run, now)
  const miss = (given, question = step.question) => findNearMiss(run, question, now, given, right)
  assert.equal(miss(-right).id, 'sign')
  assert.equal(miss(right * 10).id, 'tenfold')
  assert.equal(miss(right + 0.2).id, 'above')
  assert.equal(miss(right - 0.2).id, 'below')
  assert.deepEqual([miss(right * Math.sqrt(8)).id, miss(right / Math.sqrt(8)).id, miss(right * 8).id], ['undivided', 'squared', 'multiplied'])
  assert.deepEqual([miss(1e4).id, miss(1e4).values.given], ['far', '10000'])
  const { tensor, index: [batch, head, row, col] } = step.question.cell(run, now), scores = run.tensors.get(tensor)
  const [, , rows, cols] = scores.shape, read = (r, c) => scores.data[((batch * 4 + head) * rows + r) * cols + c]
  const neighbor = miss(Math.round(read(row, col + 1) * 100) / 100)
  assert.equal(neighbor.id, 'cell')
  assert.equal(neighbor.values.column, `${run.streams.source.tokens[0][col + 1]} (${col + 1})`, 'a token that occurs twice')
  const square = { ...step.question, mistakes: undefined, cell: () => ({ tensor: 'transformer.encoder.layers.1.self_attn.scores', index: [0, 1, 1, 4] }) }
  const encoder = run.tensors.get('transformer.encoder.layers.1.self_attn.scores'), size = encoder.shape[3]
  const transposed = miss(encoder.data[(size * 1 + 4) * size + 1], square)
  assert.deepEqual([transposed.id, transposed.values.column], ['transposed', `${run.streams.source.tokens[0][1]} (1)`])
})

test('a lesson displays the loss of the correct answer where it is known, else of the model\'s own', () => {
  const steps = [['mask', 'without', { tgtIsCausal: false }], ['order', 'answer', { normFirst: true }],
    ['hunt', 'yours', { fault: 'batchPositions' }]]
  for (const [id, name, change] of steps) {
    const lesson = lessons.find(lesson => lesson.id === id), step = lesson.steps.find(lesson => lesson.id === name)
    const stepWords = lesson.texts.en.steps[name], [{ state }] = phases(lesson, step, 'en')
    const ofTruth = makeDetachedRun({ ...change, target: '2026년 11월 20일' }).loss
    const before = makeDetachedRun({}), run = makeDetachedRun(change)
    const placeholders = placeholderValues(step, stepWords, run, { state, before })
    assert.equal(placeholders.loss, formatFixed(ofTruth, 3), id)
    assert.equal(placeholders.whose, 'the right answer', id)
    for (const key of ['was', 'before']) if (/^[\d.]+$/.test(placeholders[key])) assert.equal(placeholders[key], formatFixed(before.loss, 3), id)
    const unlearned = makeDetachedRun({ ...change, source: 'november' })
    const unknown = placeholderValues(step, stepWords, unlearned, { state, before: makeDetachedRun({ source: 'november' }) })
    assert.deepEqual([unknown.loss, unknown.whose], [formatFixed(unlearned.loss, 3), 'what the model wrote'], id)
  }
  assert.notEqual(makeDetachedRun({ normFirst: true }).loss, makeDetachedRun({ normFirst: true }).trueLoss)
})

test('the numbers of a sum add up as they are written', () => {
  const step = lessons.find(({ id }) => id === 'order').steps.find(({ id }) => id === 'sum')
  for (const source of ['november 20 2026', 'may 6, 2026', '1 january 1999', '5/6/2026']) {
    const run = makeDetachedRun({ source }), { entry, added, sum, column } = step.values(run)
    assert.equal((parseFormatted(entry) + parseFormatted(added)).toFixed(2), parseFormatted(sum).toFixed(2), source)
    assert.ok(added.startsWith('−') || added.startsWith('-'), `${source}: the hint speaks of a negative number`)
    assert.equal(step.target(run).index[2], Number(column), source)
  }
})

test('lessons write dates like the top line', () => {
  const lesson = lessons.find(({ id }) => id === 'translation'), step = lesson.steps.at(-1)
  const [{ state, run }] = phases(lesson, step, 'ko')
  assert.equal(step.values(run, { state }).answer, MODELS[0].written(run.decoding.steps.map(({ token }) => token)))
})

test('a step keeps the reader\'s text, but not the lesson\'s own', () => {
  const lesson = lessons.find(({ id }) => id === 'gap')
  const state = gapped => ({ ...defaults('particles'), lesson: 'gap', gapped })
  const after = (gapped, language) => stateOfStep(lesson, 'room=text.tokens', state(gapped), language).gapped
  const [ko, en] = Object.keys(LANGUAGES).map(language => patchFrom(lesson.base[language], lesson.model).gapped)
  assert.equal(after('물[?] 마신다', 'ko'), '물[?] 마신다')
  assert.equal(after(en, 'ko'), ko, 'another language')
  assert.equal(after('사과[?] 먹었다', 'ko'), ko, 'of another step')
})

test('every fault is found in its own run by its own evidence alone, and none in a correct run', () => {
  const settings = {
    scale: { scale: false }, leak: { tgtIsCausal: false }, dropout: { training: true, dropout: 0.3 },
    swapped: { fault: 'swapped' }, tokenNorm: { fault: 'tokenNorm' }, batchPositions: { fault: 'batchPositions' }
  }
  assert.deepEqual(Object.keys(settings).sort(), Object.keys(FINDERS).sort())
  for (const source of ['november 20 2026', '5/6/2026', 'november']) for (const target of ['', '2026년']) {
    assert.equal(findFault(makeDetachedRun({ source, target })), undefined, source)
    for (const [fault, faultSettings] of Object.entries(settings)) {
      const run = makeDetachedRun({ source, target, ...faultSettings })
      assert.deepEqual(Object.keys(FINDERS).filter(name => FINDERS[name](run)), [fault], source)
    }
  }
  const hunt = lessons.find(({ id }) => id === 'hunt')
  const answers = hunt.steps.filter(({ question: ask }) => ask).map(step => findFault(phases(hunt, step, 'ko')[0].run))
  assert.deepEqual(answers.sort(), Object.keys(FINDERS).sort())
})

test('on paper every fault can be found in the printed figures', () => {
  const hunt = lessons.find(({ id }) => id === 'hunt')
  const papers = hunt.steps.filter(({ question: ask }) => ask).map(({ id, paperCells: paper }) => [id,
    paper?.().map(({ tensor }) => tensor)])
  const here = 'transformer.encoder.layers.0.self_attn'
  assert.deepEqual(papers, [['first', undefined], ['second', [`${here}.dots`, `${here}.scores`]],
    ...['third', 'fourth', 'fifth', 'sixth'].map(id => [id, undefined])])
})

test('the stated probability of a date\'s first character is that of the character', () => {
  const lesson = lessons.find(({ id }) => id === 'translation'), step = lesson.steps.find(({ id }) => id === 'first')
  const run = makeDetachedRun({ source: '5/6/2026' }), [{ id }] = run.decoding.steps
  const { shape: [, , V], data } = run.tensors.get('sampling.output')
  assert.ok(id > 0 && V > id)
  assert.deepEqual(step.answerCell(run), { tensor: 'sampling.output', index: [0, 0, id] })
  assert.equal(step.values(run).share, formatProbability(data[id]))
  assert.deepEqual(step.answerCell({ ...run, decoding: undefined }).index, [0, 0, 0], 'a run that chose nothing')
})

test('the number of rooms stays the same through a lesson', () => {
  for (const lesson of lessons) {
    const totals = lesson.steps.filter(({ model }) => !model).map(step => {
      const [{ run, state }] = phases(lesson, step, 'ko'), rooms = roomsOf(run)
      return positionOnTour(rooms, rooms.find(({ id }) => id === state.room)).total
    })
    assert.deepEqual(new Set(totals).size, 1, `${lesson.id}: ${totals}`)
  }
})

test('no step has more than 40 words, or 70 Chinese characters, before its figure', () => {
  for (const { id, texts } of lessons) for (const [language, { steps }] of Object.entries(texts)) {
    for (const [step, { text }] of Object.entries(steps)) {
      const plain = text.replace(/\((glossary|mark)=\w+\)/g, '')
      const length = language === 'zh' ? plain.match(/\p{Script=Han}|\w+/gu).length / CHARACTERS_PER_WORD : plain.split(/\s+/).length
      assert.ok(length <= 40, `${language}, ${id}.${step}: ${length}`)
    }
  }
})

test('who is to move a result is asked to drag the query, which moves it', () => {
  const { texts } = lessons.find(({ id }) => id === 'query'), names = { ko: /쿼리를 끌어서/, en: /drag the query/, zh: /拖动查询/ }
  for (const [language, { steps }] of Object.entries(texts)) for (const id of ['ask', 'mix']) {
    assert.match(steps[id].ask.toLowerCase(), names[language], `${language}, ${id}`)
  }
})

test('what the figures of the attention lesson name is explained where it comes first', () => {
  const { texts } = lessons.find(({ id }) => id === 'attention')
  for (const [language, { steps: { look, query } }] of Object.entries(texts)) {
    assert.match(look.text, /\(glossary=head\)/, language)
    assert.match(query.text, /ᵀ/, language)
    assert.match(query.text, /편향|bias|偏置/, language)
  }
})

test('the attention lesson leads from the divided score to its weight before it mixes values', () => {
  const lesson = lessons.find(({ id }) => id === 'attention'), step = lesson.steps.find(({ id }) => id === 'mix')
  for (const [language, { steps: { mix } }] of Object.entries(lesson.texts)) {
    for (const text of [mix.text, mix.paper]) assert.match(text, /(softmax|소프트맥스).*\{score\b.*\{weight\b/i, language)
    const [phase] = phases(lesson, step, language), { score, weight } = step.values(phase.run, phase)
    assert.match(score, /^−?\d+\.\d\d$/, language)
    assert.match(weight, /^[01]\.\d\d$/, language)
  }
})

test('where results of heads are pointed at, the explained one is of the selected head', () => {
  let count = 0
  for (const lesson of lessons) for (const step of lesson.steps.filter(({ figure }) => !figure)) {
    const [{ run, ...now }] = phases(lesson, step, 'en'), target = (step.cell ?? step.target)?.(run, now)
    if (!/multihead_attn\.heads$|self_attn\.heads$/.test(target?.tensor ?? '')) continue
    const { name, index } = representativeCell(run, target), weights = getTensor(run, name.replace(/heads$/, 'weights'))
    const size = getTensor(run, name).shape[2] / weights.shape[1]
    assert.equal(Math.floor(index[2] / size), now.state.head, `${lesson.id}, ${step.id}`)
    count += 1
  }
  assert.ok(count > 3, String(count))
})

test('the numbers of query and key that the attention lesson follows make the largest product of the score', () => {
  const lesson = lessons.find(({ id }) => id === 'attention'), steps = ['query', 'key', 'score'].map(id => lesson.steps.find(step => step.id === id))
  for (const [language, { steps: texts }] of Object.entries(lesson.texts)) {
    for (const [i, pattern] of [/\{column\}.*\{query\b/, /\{column\}.*\{key\b/, /\{query\b.*\{key\b.*\{dot\b/].entries()) {
      assert.match(texts[steps[i].id].text, pattern, language)
    }
    const [phase] = phases(lesson, steps[2], language), { query, key, column } = steps[2].values(phase.run, phase)
    const [q, k] = steps.slice(0, 2).map(step => step.cell(phase.run, phase)).map(({ tensor, index: [, row] }) => (
      rowValues(phase.run, tensor, [0, row])))
    const products = q.map((value, at) => value * k[at]).slice(3 * 8, 4 * 8)
    assert.equal(Number(column), 3 * 8 + products.indexOf(Math.max(...products)), language)
    assert.deepEqual([query, key].map(text => Number(text.replace('−', '-'))), [q, k].map(row => Number(row[column].toFixed(2))), language)
  }
})

test('the first question is not a coin flip, in any language', () => {
  for (const [lessonId, ids] of Object.entries({ attention: ['write', 'other'], gap: ['gap', 'other'] })) {
    const lesson = lessons.find(({ id }) => id === lessonId)
    for (const language of Object.keys(LANGUAGES)) for (const id of ids) {
      const { run } = phases(lesson, lesson.steps.find(step => step.id === id), language).at(-1)
      const { share } = lesson.steps.find(step => step.id === id).values(run)
      assert.ok(Number(share) > 0.9, `${language}, ${lessonId}.${id}: ${share}`)
    }
  }
})

test('no step before the question about an answer shows that answer', () => {
  const { steps } = lessons.find(({ id }) => id === 'order'), asked = steps.findIndex(({ id }) => id === 'answer')
  const changed = steps.slice(0, asked).filter(({ state, answerState }) => /normFirst=1/.test(`${state}${answerState}`))
  assert.deepEqual(changed.map(({ id, hidesAnswer }) => [id, hidesAnswer]), [['before', true], ['last', true]])
})

test('the words of a lesson lead to fields that its model has, in every language to the same', () => {
  let count = 0
  for (const { id, model, texts } of lessons) {
    const found = Object.values(texts).map(({ steps }) => JSON.stringify(Object.values(steps).flatMap(({ text = '' }) => (
      Array.from(text.matchAll(/\(field=(\w+)\)/g), ([, name]) => name)))))
    assert.equal(new Set(found).size, 1, id)
    for (const name of JSON.parse(found[0])) assert.ok(name in MODELS.find(item => item.id === model).fields, `${id} ${name}`)
    count += JSON.parse(found[0]).length
  }
  assert.equal(count, 5)
})
