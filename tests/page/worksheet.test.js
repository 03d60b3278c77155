// A lesson on paper: its questions, blanks and answers, compared with the lesson and with separate runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fit } from '../../web/figures/math.js'
import { LESSONS, findLesson } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { stateOfStep } from '../../web/lessons/steps.js'
import { BLANK, createWorksheet } from '../../web/lessons/worksheet.js'
import { settingsOf } from '../../web/models/index.js'
import { defaults } from '../../web/models/state.js'
import { LANGUAGES } from '../../web/words/index.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { pageRun, makeDetachedRun } from '../lib/page.js'

const runs = new Map()
function runOf(state) {
  const { edits, ...settings } = settingsOf(state), key = JSON.stringify([settings, edits])
  if (!runs.has(key)) runs.set(key, makeDetachedRun(settings, edits))
  return runs.get(key)
}
function gradientOf(state, tensor) {
  const { edits, ...settings } = settingsOf(state), run = pageRun(settings, edits)
  const gradient = Float32Array.from(run.gradient(tensor))
  run.dispose()
  return gradient
}
/** What the small figure of a step shows; of the values at first, only the line's are needed on paper. */
const figureOf = async ({ figure }) => {
  if (!figure) return null
  let values = figure.id === 'line' ? fit(figure.options.points, figure.options.w, figure.options.b) : {}
  return { values: () => values, set: next => { values = next } }
}
const sheetOf = async ({ id }, language, more = {}) => {
  const [lesson, texts] = await Promise.all([loadLesson(id), loadLessonTexts(language, id)])
  const state = { ...defaults(lesson.model), lesson: id, at: 0, ...more }
  const sheet = await createWorksheet(lesson, texts, { state, language, runOf, gradientOf, figureOf })
  return { lesson, texts, state, sheet }
}
const itemOf = (sheet, id) => sheet.items.find(item => item.id === id)
const cellsOf = item => [...item.figures, ...item.answerFigures].flatMap(({ cells }) => cells.flat())

const linkOf = (stateLink, language) => stateLink?.[language] ?? stateLink
/** The run in which a question is asked. */
function asking(lesson, step, here, language) {
  const state = stateOfStep(lesson, linkOf(step.state, language), here, language, step.model)
  return { state, before: runOf(state) }
}
/** What is right, as the lesson's own player reads it. */
async function rightOf(lesson, step, here, language) {
  const link = (stateLink, run, state) => (
    typeof stateLink === 'function' ? stateLink(run, { state }) : linkOf(stateLink, language))
  const { state, before } = asking(lesson, step, here, language)
  const then = link(step.answerState, before, state)
  if (then === undefined) {
    return step.question.answer(before, { state, before: null, figure: (await figureOf(step))?.values() })
  }
  const answerState = stateOfStep(lesson, then, here, language)
  return step.question.answer(runOf(answerState), { state: answerState, before })
}

for (const entry of LESSONS) for (const language of Object.keys(LANGUAGES)) {
  test(`${entry.id}, ${language}: every question is printed, with the answer only on the key`, async () => {
    const { lesson, texts, state, sheet } = await sheetOf(entry, language)
    const questionSteps = lesson.steps.filter(({ question }) => question)
    assert.deepEqual(sheet.items.map(({ id }) => id), lesson.steps.map(({ id }) => id))
    for (const [i, { id, task, why, solvedDrawing }] of sheet.items.entries()) {
      assert.equal(task, lesson.steps[i].task && texts.steps[id].ask, id)
      assert.deepEqual(solvedDrawing?.values(), lesson.steps[i].task?.solution, id)
      if (task) assert.equal(why, texts.steps[id].right, id)
    }
    const questions = sheet.items.filter(({ ask }) => ask)
    assert.equal(questions.length, questionSteps.length)
    for (const [i, item] of questions.entries()) {
      const right = await rightOf(lesson, questionSteps[i], state, language)
      for (const itemText of [item.title, item.text, item.ask, item.hint, item.why]) assert.doesNotMatch(itemText, /\{|undefined/, item.title)
      assert.match(item.why, /\S/, item.title)
      if (item.options) {
        assert.ok(item.options.length > 1 && item.options.includes(item.answer), item.answer)
        const { state: at, before } = asking(lesson, questionSteps[i], state, language)
        const { text } = questionSteps[i].question.options(before,
          { state: at, before: null }).find(({ id }) => id === right)
        assert.equal(item.answer, text ?? texts.steps[questionSteps[i].id].options[right])
        continue
      }
      assert.ok(Math.abs(Number(item.answer.replace('−', '-')) - right) <= 0.005, item.title)
      for (const item of sheet.items) {
        for (const { value, isBlank } of cellsOf(item)) assert.ok(isBlank || value !== right, `${item.title}: ${value}`)
      }
    }
    const numbers = questions.filter(({ answer, options }) => !options && answer.includes('.'))
    for (const { answer } of numbers) for (const { title, text, ask, hint } of sheet.items) {
      assert.ok(!`${text} ${ask} ${hint}`.match(/−?\d+(\.\d+)?/g)?.includes(answer), `${title}: ${answer}`)
    }
    const blank = sheet.items.flatMap(({ answerFigures }) => answerFigures).flatMap(({ cells }) => cells.flat())
    assert.ok(blank.every(({ isBlank }) => isBlank))
  })
}

/** What can be done on a screen only. */
const SCREEN_WORDS = /\b(press|drag|click|tap|slider|button|top line|Settings)\b|“This cell”|at the top|누르|눌러|끌어|손잡이|단추|맨 위|위의 |켜고 끄|바꿔 보세요|움직여 보세요|点击|点一下|按下|按钮|拖动|滑块|最上面|“设置”/i

test('nothing on paper asks for what only a screen can do', async () => {
  for (const entry of LESSONS) for (const language of Object.keys(LANGUAGES)) {
    const { sheet } = await sheetOf(entry, language)
    for (const { id, title, text, ask, hint, why } of sheet.items) {
      for (const words of [title, text, ask ?? '', hint, why]) assert.doesNotMatch(words, SCREEN_WORDS, `${entry.id}.${id}`)
    }
  }
})

test('figures contain the run\'s numbers, with their tokens', async () => {
  const { sheet } = await sheetOf(findLesson('gap'), 'ko')
  const [givenFigure] = itemOf(sheet, 'scale').figures, [answerFigure] = itemOf(sheet, 'scale').answerFigures
  const run = runOf({ ...defaults('particles'), gapped: '빵[?] 먹었다' })
  for (const [figure, name] of [[givenFigure, 'dots'], [answerFigure, 'scores']]) {
    const tensor = run.tensors.get(`encoder.layers.1.self_attn.${name}`)
    const [, , rows, cols] = tensor.shape, row = run.decoding.rows[0], first = (3 * rows + row) * cols
    assert.equal(figure.name, `encoder.layers.1.self_attn.${name}[0, 3, ${row}, :]`)
    assert.deepEqual(figure.cells[0].map(({ value }) => value), [...tensor.data.slice(first, first + cols)])
    assert.deepEqual(figure.colLabels, run.streams.text.tokens[0])
    assert.deepEqual(figure.rowLabels, ['[?]'])
  }
})

test('texts and rings do not reveal the answers of other questions', async () => {
  const { sheet } = await sheetOf(findLesson('attention'), 'ko')
  const lookItem = itemOf(sheet, 'look'), place = Number(/\((\d+)\)$/.exec(lookItem.answer)[1])
  assert.ok(itemOf(sheet, 'mix').text.includes(`${BLANK}번 ‘${BLANK}’`), itemOf(sheet, 'mix').text)
  assert.ok(itemOf(sheet, 'other').text.includes(`‘${BLANK}’`), itemOf(sheet, 'other').text)
  assert.equal(itemOf(sheet, 'scale').figures[0].cells[0][place].isPointed, false)
  assert.equal(lookItem.answerFigures[0].cells[0][place].isPointed, true, 'on the key it is ringed')
  assert.deepEqual(itemOf(sheet, 'key').figures[0].rowLabels, [BLANK], 'the row of the token that is asked for')
  const { text } = itemOf(sheet, 'yours')
  assert.ok(text.includes(`‘${BLANK}’`) && !text.includes('11월'), 'what the model writes is asked for')
})

test('the numbers are those of the reader\'s text', async () => {
  const mine = '나는 물[?] 마셨다'
  const { sheet } = await sheetOf(findLesson('gap'), 'ko', { gapped: mine })
  assert.equal(sheet.text, mine)
  const run = runOf({ ...defaults('particles'), gapped: mine })
  assert.deepEqual(sheet.tokens, run.streams.text.tokens[0])
  assert.equal(itemOf(sheet, 'gap').answer, run.decoding.steps[0].token)
})

test('questions for counts and sums can be answered from their figures', async () => {
  const { sheet: { items: sampling } } = await sheetOf(LESSONS.find(({ id }) => id === 'sampling'), 'en')
  const topp = sampling.find(({ title }) => /top-p/.test(title))
  const shares = topp.figures[0].cells[0].map(({ value }) => value)
  assert.deepEqual(shares, [...shares].sort((a, b) => b - a))
  const sums = shares.map((_, i) => shares.slice(0, i + 1).reduce((sum, x) => sum + x, 0))
  assert.equal(sums.findIndex(sum => sum >= 0.5) + 1, Number(topp.answer))
  const { sheet: { items: round } } = await sheetOf(LESSONS.find(({ id }) => id === 'round'), 'en')
  const [spread] = round.filter(({ title }) => /spreads/.test(title)), [{ cells, isCut }] = spread.figures
  assert.equal(isCut, false)
  assert.equal(cells.filter(([{ value, isPointed }]) => isPointed && value !== 0).length, Number(spread.answer))
})

test('questions about a gradient have a figure of the gradient', async () => {
  const { sheet, state } = await sheetOf(LESSONS.find(({ id }) => id === 'round'), 'en')
  const [figure] = itemOf(sheet, 'nudge').figures
  assert.ok(figure.isGradient)
  const name = figure.name.replace(/\[.*/, ''), source = '5/6/2026', epsilon = 0.005
  const weight = makeDetachedRun({ ...state, source }).tensors.get(name), [row, col] = [93, 7]
  const { value } = figure.cells[0].find(({ isPointed }) => isPointed)
  assert.equal(figure.name, `${name}[${row}, :]`)
  const [high, low] = [epsilon, -epsilon].map(step => makeDetachedRun({ ...state, source }, [
    { name, index: [row, col], value: weight.data[row * weight.shape[1] + col] + step }
  ]).loss)
  assert.ok(Math.abs((high - low) / (2 * epsilon) - value) < 0.02 * Math.abs(value), `${(high - low) / (2 * epsilon)}: ${value}`)
})

test('where scores are equalized, the key shows them above the resulting weights', async () => {
  const { lesson, sheet } = await sheetOf(LESSONS.find(({ id }) => id === 'gap'), 'en')
  const questionIds = lesson.steps.filter(({ question }) => question).map(({ id }) => id)
  const { answerFigures } = sheet.items.filter(({ ask }) => ask)[questionIds.indexOf('equal')]
  assert.deepEqual(answerFigures.map(({ name }) => name.replace(/\[.*/, '').split('.').at(-1)), ['masked_scores', 'weights'])
  const [scores, shares] = answerFigures.map(({ cells }) => cells.flat())
  assert.deepEqual(scores.map(({ value }) => value), scores.map(() => 0))
  assert.ok(shares.every(({ value }) => Math.abs(value - 1 / shares.length) < 1e-6))
})

test('captions name room and head, and a key has the answer of the small figure', async () => {
  const { sheet } = await sheetOf(findLesson('gap'), 'ko')
  const [{ room, head }] = itemOf(sheet, 'scale').figures
  assert.equal(room.id, 'encoder.1.self_attn.scores')
  assert.equal(head, 3)
  const { sheet: learning } = await sheetOf(findLesson('learning'), 'en')
  assert.match(itemOf(learning, 'error').answer, /smaller/i)
})

/** The numbers that are printed of a row of a tensor, by column. */
const printedRow = ({ items }, name) => Object.fromEntries(items.flatMap(({ figures }) => figures)
  .filter(figure => figure.name === name && figure.cells.length === 1)
  .flatMap(({ cells, colLabels }) => cells[0].map(({ value }, i) => [colLabels[i], value])))

test('where a dot product is asked about, every factor is printed', async () => {
  let count = 0
  for (const entry of LESSONS) {
    const { sheet } = await sheetOf(entry, 'en')
    for (const { ask = '', figures } of sheet.items) for (const { name, head, cells: [row] } of figures.filter(({ name }) => name.includes('.dots['))) {
      const [, attention, query] = /^(.*)\.dots\[0, \d+, (\d+)/.exec(name)
      const key = row.findIndex(({ value }) => ask.includes(value.toFixed(2)))
      if (key < 0) continue
      const [q, k] = [['q', query], ['k', key]].map(([tensor, at]) => printedRow(sheet, `${attention}.${tensor}[0, ${at}, :]`))
      const channels = Array.from({ length: 8 }, (_, i) => head * 8 + i)
      assert.deepEqual(Object.keys(q), channels.map(String), entry.id)
      const dot = channels.reduce((sum, channel) => sum + q[channel] * k[channel], 0)
      assert.ok(Math.abs(dot - row[key].value) < 1e-3, `${entry.id}: ${dot}`)
      count++
    }
  }
  assert.equal(count, 2, 'attention and gap')
})

test('what is to be counted or compared is printed whole', async () => {
  const { sheet: feedForward } = await sheetOf(findLesson('feed_forward'), 'en')
  const neurons = cellsOf(itemOf(feedForward, 'neurons'))
  assert.equal(neurons.length, 64)
  assert.ok(itemOf(feedForward, 'neurons').why.includes(String(neurons.filter(({ value }) => value > 0).length)))
  const { sheet: positions } = await sheetOf(findLesson('positions'), 'en')
  const [one, other] = itemOf(positions, 'same').figures.map(({ cells }) => cells[0].map(({ value }) => value))
  assert.equal(one.length, 32)
  assert.deepEqual(one, other)
  const { sheet: heads } = await sheetOf(findLesson('heads'), 'en')
  const weights = itemOf(heads, 'different').figures.map(({ cells }) => cells[0][0].value)
  assert.equal(`head ${weights.indexOf(Math.max(...weights))}`, itemOf(heads, 'different').answer)
  const { sheet: inside } = await sheetOf(findLesson('inside'), 'en')
  assert.deepEqual(itemOf(inside, 'one').figures[0].colLabels, ['24', '25', '26', '27', '28', '29', '30', '31'])
})

test('cells to fill in need no more than two decimals, and only numbers that follow from the sheet are asked for', async () => {
  for (const entry of LESSONS) {
    const { sheet } = await sheetOf(entry, 'en')
    const figures = sheet.items.filter(({ hasCellsToFill }) => hasCellsToFill)
      .flatMap(({ answerFigures }) => answerFigures).filter(({ isCut }) => !isCut)
    for (const { name, cells } of figures) for (const { value } of cells.flat()) {
      assert.ok(value === 0 || Math.abs(value) >= 0.005, `${entry.id}, ${name}: ${value}`)
    }
  }
  const { sheet } = await sheetOf(findLesson('attention'), 'en')
  assert.deepEqual(sheet.items.filter(({ hasCellsToFill }) => hasCellsToFill).map(({ id }) => id), ['scale'], 'weights come before scores')
})

test('the key completes every text that has blanks', async () => {
  for (const entry of LESSONS) for (const language of Object.keys(LANGUAGES)) {
    const { sheet } = await sheetOf(entry, language)
    for (const { id, title, text, ask = '', solutions } of sheet.items) {
      assert.ok(!title.includes(BLANK), `${entry.id}.${id}`)
      assert.equal(solutions.length, [text, ask].filter(part => part.includes(BLANK)).length, `${entry.id}.${id}`)
      for (const solution of solutions) assert.doesNotMatch(solution, /____|undefined|\{/, `${entry.id}.${id}`)
    }
  }
  const { sheet } = await sheetOf(findLesson('attention'), 'ko')
  assert.ok(itemOf(sheet, 'key').solutions[0].includes('0번 ‘november’의 키'))
  assert.ok(itemOf(sheet, 'yours').solutions[0].includes('2026년 11월 20일'))
})

test('texts on paper speak of a ring only where one is printed', async () => {
  for (const entry of LESSONS) for (const language of Object.keys(LANGUAGES)) {
    const { sheet } = await sheetOf(entry, language)
    for (const { id, text, ask = '', figures } of sheet.items) {
      if (!/테두리를 두른|highlighted|高亮/.test(`${text} ${ask}`)) continue
      const isRinged = figures.some(({ isWhole, cells }) => isWhole || cells.flat().some(({ isPointed }) => isPointed))
      assert.ok(isRinged, `${entry.id}.${id}, ${language}: ${text}`)
    }
  }
})

test('rows of a table keep their labels', async () => {
  for (const entry of LESSONS) {
    const { sheet } = await sheetOf(entry, 'en')
    for (const { rowLabels, cells } of sheet.items.flatMap(({ figures }) => figures)) {
      assert.equal(rowLabels.length, cells.length, entry.id)
    }
  }
})
