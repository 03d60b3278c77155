/**
 * A lesson on paper: its steps with the numbers of the reader's run, questions, figures with blanks, and a key with
 * explained answers. Numbers that would reveal an answer are blank, except on the key.
 */

import { formatFixed } from '../lib/number.js'
import { getAxisLabels, getTensor } from '../lib/run.js'
import { roomOfTensor, roomsOf } from '../rooms/index.js'
import { slice } from '../lib/slice.js'
import { translator } from '../lib/text.js'
import { answerText } from './run_values.js'
import { inLanguage, stateOfStep, placeholderValues } from './steps.js'

/** @import { Language, Room, Run, State } from '../types.d.ts' */
/** @typedef {import('../figures/index.js').Figure} SmallFigure */
/** @import { Cells, Lesson, Now, Pointer, Step } from './index.js' */

/**
 * @typedef {object} Figure rows of a tensor; the number of a blank cell is only on the key
 * @property {string} name the tensor, and which of its rows
 * @property {Room | undefined} room the room that the tensor belongs to
 * @property {number | null} head the head that the rows belong to
 * @property {boolean} isProbability whether all values lie between 0 and 1
 * @property {string[]} rowLabels
 * @property {string[]} colLabels
 * @property {{ value: number, isBlank: boolean, isPointed: boolean }[][]} cells isPointed: whether the target is this
 *   cell
 * @property {boolean} isCut whether the tensor is larger
 * @property {boolean} isGradient of the loss by the named tensor
 * @property {boolean} isWhole whether the target is the whole figure, as of a row, of which nothing else is printed
 * @property {string} token the label of the target's cell, with its position
 * @property {string} rowToken the same of the only row, '' where there are several
 *
 * @typedef {object} Item a step on paper, with its question if it has one
 * @property {string} id of the step
 * @property {string} title
 * @property {string} text
 * @property {boolean} isQuestion whether it has an answer
 * @property {string} [ask] the question, if there is one
 * @property {string} [task] what is to be reached in the small figure on the screen, if there is that
 * @property {string} hint the hint after a wrong answer, if there is one
 * @property {string[] | null} options null where the answer is a number
 * @property {SmallFigure | null} drawing the small figure of the step
 * @property {SmallFigure | null} solvedDrawing the same with its task done, for the key
 * @property {string} answer
 * @property {string} why the explanation
 * @property {Figure[]} figures figures of the question
 * @property {Figure[]} answerFigures where its answer is seen: blank but on the key
 * @property {boolean} hasCellsToFill whether their numbers follow from what is printed; else they are only on the key
 * @property {string[]} solutions the texts with blanks, complete
 *
 * @typedef {{ title: string, text: string, tokens: string[], items: Item[] }} Worksheet text: what the model reads
 */

export const BLANK = '____'
const [MAX_ROWS, MAX_COLS] = [12, 12]
/** The maximum number of tokens, which may take several lines. */
const MAX_TOKENS = 36

/**
 * The start of a window along an axis that contains an index.
 * @param {number | null} index @param {number} size @param {number} count
 */
const windowStart = (index, size, count) => Math.max(0, Math.min((index ?? 0) - (count >> 1), size - count))

/**
 * The cells around those that are pointed at: of a row, that row; else several rows.
 * @param {Run} run @param {Cells} place @param {Float32Array} [gradient] in place of the values
 */
function cutSlice(run, place, gradient) {
  const tensorOfRun = getTensor(run, place.tensor), tensor = gradient ? { ...tensorOfRun, data: gradient } : tensorOfRun
  const { length } = tensor.shape
  const [row, col] = [length - 2, length - 1], index = place.index[row] ?? null
  const words = getAxisLabels(run, tensor, col)
  const rows = row < 0 || index !== null ? 1 : Math.min(MAX_ROWS, tensor.shape[row])
  const { columns } = place
  const cols = columns?.length ?? Math.min(words && rows === 1 ? MAX_TOKENS : MAX_COLS, tensor.shape[col])
  const [rowStart, colStart] = [index ?? 0, columns ? 0 : windowStart(place.index[col], tensor.shape[col], cols)]
  const names = row < 0 ? undefined : getAxisLabels(run, tensor, row)?.slice(rowStart, rowStart + rows)
  const part = slice(tensor, {
    row, col, rows, cols, rowStart, colStart, fixed: place.index.map(item => item ?? 0),
    ...(names && { rowLabels: names }), ...(columns && { order: columns }),
    ...(words && { colLabels: columns ? words : words.slice(colStart, colStart + cols) })
  })
  const isCut = cols < tensor.shape[col] || (row >= 0 && index === null && rows < tensor.shape[row])
  const axes = tensor.shape.map((_, axis) => (axis === col || (axis === row && index === null) ? ':' : place.index[axis] ?? 0))
  return { part, isCut, name: `${part.name}[${axes.join(', ')}]` }
}

/**
 * @param {Run} run @param {Cells} place @param {boolean} isBlank
 * @param {Float32Array} [gradient] in place of the values @returns {Figure}
 */
function createFigure(run, place, isBlank, gradient) {
  const { part, isCut, name } = cutSlice(run, place, gradient), index = place.index[part.axis[1]]
  const cells = Array.from({ length: part.rows }, (_, i) => Array.from({ length: part.cols }, (_, j) => (
    { value: part.values[i * part.cols + j], isBlank, isPointed: index === part.start[1] + j })))
  const token = index === null ? '' : withPosition(part.colLabels[index - part.start[1]], index)
  const { rowLabels, colLabels } = part, headAxis = getTensor(run, place.tensor).axes.findIndex(axis => axis.name === 'head')
  return {
    name, rowLabels, colLabels, cells, isCut, isWhole: index === null, isGradient: Boolean(gradient), token,
    rowToken: cells.length === 1 ? withPosition(rowLabels[0], part.start[0]) : '',
    room: roomOfTensor(roomsOf(run), place.tensor, run), head: headAxis < 0 ? null : place.index[headAxis] ?? 0,
    isProbability: part.values.every(value => value >= 0 && value <= 1)
  }
}

/** Whether two figures show the same numbers. @param {Figure} a @param {Figure} b */
const isSameFigure = (a, b) => a.name === b.name && JSON.stringify(a.cells) === JSON.stringify(b.cells)

/**
 * What a step displays on paper: its `paper`, else what it points at, if those are cells.
 * @param {Step['paperCells']} paper @param {Pointer | undefined} point @param {Run} run @param {Now} now @returns
 *   {Cells[]}
 */
function listCells(paper, point, run, now) {
  if (paper) return paper(run, now)
  const place = point?.(run, now)
  return place?.tensor === undefined ? [] : [place]
}

/** @param {unknown} answer */
const formatAnswer = answer => (typeof answer === 'number' && !Number.isInteger(answer) ? formatFixed(answer) : String(answer))

/** A token with its position. @param {string} token @param {number} place */
const withPosition = (token, place) => `${token} (${place})`

/** @param {string} token with its position */
const withoutPosition = token => token.replace(/ \(\d+\)$/, '')

const NAMES = /\{(\w+)/g
/** @param {string} text */
const listPlaceholders = text => [...text.matchAll(NAMES)].map(match => match[1])

/**
 * The values that reveal an answer: for a number all equal ones; else those that the question does not contain.
 * @param {Record<string, string>} values with the answer
 * @param {string} stepWords of the question's text
 * @param {string[]} answers the correct one as a value and as text
 * @param {boolean} isNumber
 */
function revealingValues(values, stepWords, answers, isNumber) {
  const texts = isNumber ? [] : listPlaceholders(stepWords)
  return Object.entries(values).filter(([name, value]) => answers.includes(value) && !texts.includes(name))
    .map(([name, value]) => `${name}=${value}`)
}

/**
 * A step on paper, with the correct answer, from the runs before and after the answer.
 * @param {Lesson} lesson @param {Step} step @param {Record<string, any>} stepWords words of the step
 * @param {Page} page
 */
async function createItem(lesson, step, stepWords, { state: readerState, language, runOf, gradientOf, figureOf }) {
  const { question: ask } = step
  /** @param {import('./index.js').Link} link */
  const stateOfLink = link => stateOfStep(lesson, inLanguage(link, language), readerState, language, step.model)
  const state = stateOfLink(step.state), before = await runOf(state)
  const answerLink = typeof step.answerState === 'function' ? step.answerState(before, { state }) : step.answerState
  const answerState = answerLink === undefined ? state : stateOfLink(answerLink)
  const after = answerLink === undefined ? before : await runOf(answerState)
  const drawing = await figureOf(step, stepWords), figure = drawing?.values()
  const solvedDrawing = step.task ? await figureOf(step, stepWords) : null
  if (step.task) solvedDrawing?.set(step.task.solution)
  const now = { state, before: null, figure },
    answerNow = { state: answerState, before: answerLink === undefined ? null : before, figure }
  const right = ask?.answer(after, answerNow)
  const options = ask?.options?.(before, now).map(({ id, text }) => ({ id, text: text ?? stepWords.options[id] })) ??
    null
  const answer = ask ? options?.find(({ id }) => id === right)?.text ?? formatAnswer(right) : ''
  const values = placeholderValues(step, stepWords, before, now),
    answerValues = placeholderValues(step, stepWords, after, answerNow)
  /** @param {Cells} place */
  async function createGivenFigure(place) {
    const gradient = place.isGradient ? await gradientOf(state, place.tensor) : undefined
    const givenFigure = createFigure(before, place, false, gradient)
    return { ...givenFigure, isWhole: givenFigure.isWhole && !step.paperCells }
  }
  return {
    right, values, words: stepWords, written: ask?.isOfAnswer ? [answerText(before)] : [],
    revealing: ask ? revealingValues(answerValues, `${stepWords.paper ?? stepWords.text}${stepWords.ask}`, [String(right), answer, withoutPosition(answer)], !options) : [],
    item: {
      id: step.id, title: stepWords.title, options: options && options.map(({ text }) => text), answer,
      drawing, solvedDrawing,
      isQuestion: Boolean(ask), hasCellsToFill: Boolean(ask && (!options || step.paperAnswerCells)),
      why: stepWords.wrong ? translator(stepWords)(stepWords.paperWhy ? 'paperWhy' : 'wrong', answerValues)
        : step.task ? stepWords.right : '',
      figures: await Promise.all(listCells(step.paperCells, step.target, before, now).map(createGivenFigure)),
      answerFigures: answerLink === undefined ? []
        : listCells(step.paperAnswerCells, step.answerTarget ?? step.target, after,
            answerNow).map(place => createFigure(after, place, true))
    }
  }
}

/**
 * @typedef {object} Page
 * @property {State} state with the reader's input
 * @property {Language} language
 * @property {(state: State) => Promise<Run>} runOf
 * @property {(state: State, tensor: string) => Promise<Float32Array>} gradientOf
 * @property {(step: Step, stepWords: Record<string, any>) => Promise<SmallFigure | null>} figureOf
 *   the step's small figure, as the reader meets it
 */

/**
 * The key of the hint for paper. The hint of a small figure says how to move it, so it is left out.
 * @param {Record<string, any>} stepWords @param {Step} step
 */
const hintKey = (stepWords, { figure }) => stepWords.paperHint ? 'paperHint' : figure || !stepWords.hint ? '' : 'hint'

/**
 * @param {Lesson} lesson @param {{ title: string, steps: Record<string, any> }} words @param {Page} page
 * @returns {Promise<Worksheet>}
 */
export async function createWorksheet(lesson, words, page) {
  /** @type {Awaited<ReturnType<typeof createItem>>[]} */ const items = []
  for (const step of lesson.steps) items.push(await createItem(lesson, step, words.steps[step.id], page))
  const hiddenValues = new Set(items.flatMap(({ revealing }) => revealing))
  const answers = new Set(items.map(({ item }) => item.answer).filter(Boolean))
  const answerNames = new Set(items.flatMap(({ item }) => item.answerFigures.map(({ name }) => name)))
  // Where a question is about what the model writes, all that it wrote would reveal the answer.
  const answerTexts = new Set([...[...answers].map(withoutPosition), ...items.flatMap(({ written }) => written)])
  // A number with decimals that equals an answer is that answer; an equal integer may be another count.
  const correctValues =
    new Set(items.map(({ right }) => right).filter(right => right !== undefined && !Number.isInteger(right)))
  const hiddenNumbers = new Set(items.filter(({ right }) => correctValues.has(right)).map(({ item }) => item.answer))
  /** @param {[string, string]} said @param {boolean} isQuestion */
  const isHidden = ([name, value], isQuestion) => hiddenValues.has(`${name}=${value}`) || hiddenNumbers.has(value) ||
    (!isQuestion && answerTexts.has(value))
  const [stream] = Object.values((await page.runOf(stateOfStep(lesson, '', page.state, page.language))).streams)
  return {
    title: words.title, text: stream.texts[0], tokens: stream.tokens[0],
    items: items.map(({ item, values, words: stepWords }, i) => {
      const getText = translator(stepWords, { strict: false })
      const visibleValues = Object.fromEntries(Object.entries(values)
        .map(texts => [texts[0], isHidden(texts, item.isQuestion) ? BLANK : texts[1]]))
      // A ring around a token that is asked for elsewhere would reveal it.
      // A figure without a question is left out where it would reveal an answer, or where the next step or the one
      // before has the same.
      const others = item.isQuestion ? [] : [items[i - 1], items[i + 1]].flatMap(other => other?.item.figures ?? [])
      const ownFigures = item.figures.filter(own => !others.some(other => isSameFigure(other, own)) &&
        (item.isQuestion || !answerNames.has(own.name)))
      const figures = ownFigures.map(({ cells, rowLabels, ...one }) => ({
        ...one, rowLabels: !item.isQuestion && answers.has(one.rowToken) ? [BLANK] : rowLabels,
        cells: cells.map(row => row.map(cell => (
          { ...cell, isBlank: correctValues.has(cell.value), isPointed: cell.isPointed && !answers.has(one.token) })))
      }))
      const textKey = stepWords.paper ? 'paper' : 'text'
      const solutions = [textKey, ...(item.isQuestion ? ['ask'] : [])]
        .filter(key => getText(key, visibleValues).includes(BLANK)).map(key => getText(key, values))
      return {
        ...item, figures, solutions, title: getText(stepWords.paperTitle ? 'paperTitle' : 'title', visibleValues),
        text: getText(textKey, visibleValues), hint: getText(hintKey(stepWords, lesson.steps[i]), visibleValues),
        ...(item.isQuestion && { ask: getText('ask', visibleValues) }),
        ...(lesson.steps[i].task && { task: getText('ask', visibleValues) })
      }
    })
  }
}
