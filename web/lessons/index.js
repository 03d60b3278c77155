/**
 * The lessons. `<lesson>/index.js` lists the steps of a lesson; its texts are in `web/words/<language>/lessons`. Every
 * step is a state of the page, written as a link.
 */

/** @import { Language, Run, State } from '../types.d.ts' */

/**
 * @typedef {{ state: State, before?: Run | null, figure?: Record<string, any> | null }} Now the state of the page, the
 *   run from when the reader answered, and what the step's figure shows
 *
 * @typedef {{
 *   tensor: string, index: (number | null)[], columns?: number[], isGradient?: boolean, selector?: undefined
 * }} Cells of a tensor; null stands for all along an axis, or for those in `columns`, which
 *   stand side by side on the page; on paper it also orders them
 * @typedef {Cells | { selector: string, tensor?: undefined }} Place cells, or an element of the page
 * @typedef {(run: Run, now: Now) => Place} Pointer
 *
 * @typedef {{ id: string, value: number }} Mistake the key of its text among the step's reasons, and the number
 *
 * @typedef {object} Question
 * @property {(run: Run, now: Now) => { id: string, text?: string }[]} [options] the options, with texts from the
 *   lesson's words by default; left out where the answer is a number
 * @property {(run: Run, now: Now) => string | number | undefined} answer the correct one, read from the run
 * @property {number} [tolerance] how far a number may be off
 * @property {(run: Run, now: Now) => Mistake[]} [mistakes] numbers that a reader comes to by a known mistake
 * @property {(run: Run, now: Now) => Cells} [cell] the cell with the correct number; an answer that is another cell of
 *   its matrix is told which
 * @property {(run: Run, now: Now, id: string) => Record<string, string>} [given] values for the text about a
 *   wrong option
 * @property {boolean} [isOfAnswer] whether the top line displays the answer as the model's output
 *
 * @typedef {object} Task something to be reached in a figure
 * @property {(values: Record<string, any>) => boolean} isDone whether the figure's values reach it
 * @property {Record<string, any>} solution values of the figure that reach it
 * @property {(values: Record<string, any>) => { id: string, [name: string]: string }} feedback what values that do not
 *   reach it give, and which way to go: the key of a text among the step's `feedback`, and values for it
 *
 * @typedef {string | Record<Language, string>} Link changes of the lesson's base state, as in a link
 *
 * @typedef {object} Step
 * @property {string} id the key of its texts
 * @property {Link} state
 * @property {Pointer} [target]
 * @property {string} [model] another model than the lesson's
 * @property {{ id: keyof typeof import('../figures/index.js').FIGURES, options: Record<string, any> }} [figure] a small
 *   figure in place of the room
 * @property {Record<string, any>} [answerFigure] values of the figure that show the answer
 * @property {Task} [task] asks the reader to do something in the figure; a step has this or a question
 * @property {Question} [question]
 * @property {Link | ((run: Run, now: Now) => string)} [answerState] the state that shows the answer, which
 *   the reader predicts; without it the answer is in the present figure, and a wrong one gets a hint
 * @property {Pointer} [answerTarget]
 * @property {(run: Run, now: Now) => Cells} [cell] the cell that the inspector explains, if the target is no cell
 * @property {(run: Run, now: Now) => Cells} [answerCell] the same once the question is answered
 * @property {boolean} [dimsOthers] whether all but the sources of that cell are dimmed, where matrices are large
 * @property {(run: Run, now: Now) => Record<string, string>} [values] values for the placeholders of its texts
 * @property {boolean} [asksForInput] whether its text asks the reader to change the text in the top line
 * @property {string} [hides] a selector of the parts of the room that the step does not need; map and inspector bring
 *   them back
 * @property {string} [answerHides] the same once the question is answered; `hides` by default, in the question's room
 * @property {boolean} [hidesAnswer] whether the top line hides the model's answer, because a later step asks for it
 * @property {string[]} [freeSettings] what the step lets the reader change; without it the rooms of tokens and of the
 *   answer show only their first figure
 * @property {(run: Run, now: Now) => Cells[]} [paperCells] what a worksheet shows in place of what is pointed at; a
 *   step that asks nothing is on the worksheet if it has this
 * @property {(run: Run, now: Now) => Cells[]} [paperAnswerCells] the same once the question is answered
 *
 * @typedef {object} Lesson
 * @property {string} model
 * @property {Link} base the state that all of its steps extend
 * @property {string[]} userFields fields whose text by the reader remains
 * @property {Step[]} steps
 * @property {string} [theatre] the training that comes after the last lesson of a list
 */

/** `stepCount` is known before `load.js` loads a lesson, and `minutes` follow a rule: a test compares both. */

/** The path: one lesson after the other, from zero to large models. */
export const PATH = [
  { id: 'learning', minutes: 5, stepCount: 5 },
  { id: 'tokens', minutes: 4, stepCount: 4 },
  { id: 'vectors', minutes: 4, stepCount: 5 },
  { id: 'positions', minutes: 4, stepCount: 5 },
  { id: 'query', minutes: 6, stepCount: 6 },
  { id: 'softmax', minutes: 4, stepCount: 5 },
  { id: 'attention', minutes: 7, stepCount: 9 },
  { id: 'heads', minutes: 3, stepCount: 3 },
  { id: 'mask', minutes: 5, stepCount: 5 },
  { id: 'order', minutes: 5, stepCount: 6 },
  { id: 'feed_forward', minutes: 5, stepCount: 6 },
  { id: 'sampling', minutes: 6, stepCount: 7 },
  { id: 'loss', minutes: 6, stepCount: 7 },
  { id: 'translation', minutes: 5, stepCount: 6 },
  { id: 'kinds', minutes: 4, stepCount: 4 },
  { id: 'modern', minutes: 6, stepCount: 7 },
  { id: 'inside', minutes: 4, stepCount: 4 },
  { id: 'large', minutes: 3, stepCount: 4 }
]
/** Further lessons, for whoever has come to the end of the path or wants one of them alone. */
export const DEEPER = [
  { id: 'gap', minutes: 9, stepCount: 12 },
  { id: 'round', minutes: 6, stepCount: 8 },
  { id: 'break', minutes: 5, stepCount: 6 },
  { id: 'hunt', minutes: 6, stepCount: 8 },
  { id: 'induction', minutes: 5, stepCount: 6 },
  { id: 'attribution', minutes: 4, stepCount: 5 },
  { id: 'patching', minutes: 5, stepCount: 5 },
  { id: 'grokking', minutes: 7, stepCount: 7 }
]
export const LESSON_LISTS = { path: PATH, deeper: DEEPER }
export const LESSONS = [...PATH, ...DEEPER]

/**
 * Lessons for so many minutes: for a class, where what remains is for questions and worksheets, or by `audience` for
 * others.
 * @type {{ minutes: number, lessons: string[], audience?: 'engineers' }[]}
 */
export const PLANS = [
  { minutes: 20, lessons: ['learning', 'query', 'attention'] },
  { minutes: 50, lessons: ['learning', 'tokens', 'vectors', 'query', 'softmax', 'attention', 'mask'] },
  { minutes: 36, lessons: ['attention', 'mask', 'order', 'loss', 'modern', 'inside', 'large'], audience: 'engineers' },
  { minutes: 90, lessons: PATH.map(({ id }) => id) }
]

/** @param {string} id */
export const findLesson = id => LESSONS.find(lesson => lesson.id === id)

/**
 * Where a lesson stands: its list, its place there from 1, the lessons before and after it, and whether a plan ends
 * with it. A plan has an order of its own; after its last lesson the path goes on.
 * @param {string} id @param {number} [plan] its minutes
 */
export function placeOfLesson(id, plan) {
  const [name, lessons] = /** @type {[keyof typeof LESSON_LISTS, typeof PATH]} */ (
    Object.entries(LESSON_LISTS).find(([, list]) => list.some(lesson => lesson.id === id)))
  const list = lessons.map(lesson => lesson.id), after = list[list.indexOf(id) + 1]
  const planned = PLANS.find(({ minutes, lessons: ids }) => minutes === plan && ids.includes(id))?.lessons
  const ids = planned ?? list, number = ids.indexOf(id) + 1, count = ids.length
  const endsPlan = Boolean(planned) && number === count
  return { name, number, count, previous: ids[number - 2], next: ids[number] ?? after, endsPlan }
}
