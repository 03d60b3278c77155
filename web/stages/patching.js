/** Activation patching: the answer to this text with the values of one place in the run on another text. */

import { layerHeading } from '../lib/ablation_parts.js'
import { nameOfToken } from '../lib/attribution.js'
import { createScale, signedDomain } from '../lib/color.js'
import { activeElementNear, handleInternalClick, h, setText, uniqueId } from '../lib/dom.js'
import { changeEdits, hasEdits, toggleEdits } from '../lib/edits.js'
import { mountGrid } from '../lib/grid.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed } from '../lib/number.js'
import { KINDS, byTower, columnsOf, lengthOf, listDifferences, patchEdits, restoredShare } from '../lib/patching.js'
import { createPicture } from '../lib/picture.js'
import { mountProgress } from '../lib/progress.js'
import { fullRoomName } from '../lib/room_name.js'
import { createSegments } from '../lib/segments.js'

/** @import { Decoding, Mount, OtherText, Patch, PatchQuery, PatchedRows, Run, Stage, View } from '../types.d.ts' */
/** @import { Difference, Kind } from '../lib/patching.js' */
/** @import { Heads, PatchedRow } from '../rooms/stream.js' */

/** A row of the map: a tensor, or all heads of an attention. @typedef {PatchedRow & { heads?: Heads }} MapRow */

export const id = 'patching'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** @param {Run} run @param {View<'patching'>} view */
export const data = (run, { room: { parts }, rooms, row, edits, patched }) => (
  { run, rooms, parts, row, edits, kind: patched })

/** @type {Stage<'patching'>['picture']} */
export const picture = (run, { room: { parts: { logits } } }) => createPicture(run, logits)

/** The page asks the reader before it fills maps that take longer, in milliseconds. */
const LONG_MS = 60_000

/** A text is compared this long after the last key, in milliseconds, since it starts two runs. */
const TYPING_PAUSE = 400

/** @param {Pick<ReturnType<typeof data>, 'parts' | 'kind'>} next @returns {MapRow[]} */
const listRows = ({ parts: { rows, attentions }, kind }) => (
  kind === 'heads' ? attentions.map(heads => ({ ...heads, name: heads.out, heads })) : rows[kind])

/**
 * Everything that a map depends on beside the other text: the reader's edits do not count.
 * @param {ReturnType<typeof data>} next
 */
const keyOf = ({ run: { settings, imported }, row, kind }) => (
  JSON.stringify([{ ...settings, edits: [] }, imported?.serial, row, kind]))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, get, set, link, theme, reportError, otherText } = context
  const fieldId = uniqueId('other')
  const field = /** @type {HTMLInputElement} */ (h('input', {
    id: fieldId, type: 'text', className: 'other-text', autocomplete: 'off', spellcheck: 'false',
    oninput: () => {
      clearTimeout(pause)
      // Without a text the room has one of its own, which would appear under the reader's fingers.
      if (field.value.trim()) pause = setTimeout(apply, TYPING_PAUSE)
    },
    onchange: () => apply('push')
  }))
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let pause
  /** @param {'push' | 'replace'} [entry] */
  function apply(entry = 'replace') {
    clearTimeout(pause)
    set({ other: field.value.trim() }, entry)
  }
  const problem = h('p', { className: 'problem', role: 'alert', hidden: true }), answers = h('p', { className: 'note' })
  const example = h('a', { className: 'deed', hidden: true }, t('stages.patching.example'))
  const steps = createSegments(t('stages.patching.at'), (/** @type {number} */ step) => set({ row: step }))
  const kinds = createSegments(t('stages.patching.taken'), (/** @type {Kind} */ value) => set({ patched: value }))
  const tools = h('div', { className: 'tools' }, steps.element, kinds.element)
  const question = h('p'), startButton = h('button', {
    type: 'button', className: 'primary', onclick: () => latest && begin(latest, false)
  }, t('stages.ablation.begin'))
  const confirmation = h('div', { className: 'unkept', hidden: true }, question, h('p', {}, startButton))
  container.append(h('p', { className: 'other-line' }, h('label', { for: fieldId }, t('stages.patching.other')), field),
    problem, h('p', {}, example), answers, tools, confirmation)
  const progress = mountProgress(container, t)
  const maps = h('div', { className: 'patch-maps' }), legends = h('div', { className: 'figure-legends' })
  const status = h('p', { className: 'note source-details', role: 'status' }), actions = h('p', { className: 'patch-actions' })
  container.append(maps, status, actions, legends)
  const key = mountLegend(legends)
  /** @type {Map<string, ReturnType<typeof mountGrid> & { section: HTMLElement }>} */ const grids = new Map()
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  let shownText = '', shownKey = ''
  /** @type {OtherText | null} */ let here = null
  /** @type {OtherText | null} */ let other = null
  /** @type {Map<string, number[]>} */ let values = new Map()
  /** @type {Pick<PatchedRows, 'here' | 'there'> | null} */ let ends = null
  /** @type {{ row: MapRow, at: number } | null} */ let chosen = null
  let job = {}

  /** @param {string} tower */
  function gridOf(tower) {
    const known = grids.get(tower)
    if (known) return known
    const name = tower === 'model' ? '' : t(`map.${tower}`), section = h('section', {}, name && h('h2', {}, name))
    maps.append(section)
    const label = [t('stages.patching.name'), name].filter(Boolean).join(' · ')
    const created = { ...mountGrid(section, label, t, choose), section }
    grids.set(tower, created)
    return created
  }
  /** @param {MapRow} row */
  function nameOf({ layer, block }) {
    if (latest?.kind === 'residual') return layer === undefined ? t('stages.patching.end') : t('stages.patching.before', { layer: layerHeading({ layer }, t) })
    return [layerHeading({ layer }, t), t(`map.blocks.${block}`)].filter(Boolean).join(' · ')
  }
  /** @param {string} name @param {number} at */
  function choose(name, at) {
    const row = latest && listRows(latest).find(one => one.name === name)
    if (!row || values.get(name)?.[at] === undefined) return
    chosen = { row, at }
    drawMaps()
    describe()
  }
  /** @param {HTMLAnchorElement} element @param {Patch} patch */
  function setLink(element, patch) {
    element.href = link(patch)
    element.onclick = handleInternalClick(() => set(patch, 'push'))
    return element
  }
  /** Names the chosen place and offers to take its values, or to see its room. */
  function describe() {
    actions.hidden = true
    setText(status, '')
    if (!chosen || !ends || !latest || !other) return
    const { run, rooms, edits } = latest, { row: { name, heads }, at } = chosen, value = Number(values.get(name)?.[at])
    const place = heads ? t('stages.ablation.head', { head: at })
      : t('stages.patching.position', { token: columnsOf(run, name, at + 1)[at], at })
    setText(status, t('stages.patching.value', {
      place: `${nameOf(chosen.row)} · ${place}`, share: formatFixed(restoredShare(ends)(value)),
      value: formatFixed(value), here: formatFixed(ends.here), there: formatFixed(ends.there)
    }))
    const list = patchEdits(run, { text: shownText, other }, name, at, heads), isTaken = hasEdits(edits, list)
    const room = rooms.find(({ tensors }) => tensors.includes(name))
    const to = { ...(room && { room: room.id }), twin: `text:${shownText}`, ...(heads && { head: at }) }
    actions.replaceChildren(h('button', {
      'type': 'button', 'className': 'primary', 'data-action': 'take',
      'onclick': () => changeEdits({ get, set }, toggleEdits(get().edits, list, !isTaken), 'push')
    }, t(`stages.patching.${isTaken ? 'giveBack' : 'take'}`)), room ? setLink(h('a', { className: 'deed' }, t('stages.patching.compare', { room: fullRoomName(room, t) })), to) : '')
    actions.hidden = false
  }

  function drawMaps() {
    if (!latest) return
    drawAnswers()
    const { run } = latest, share = ends && restoredShare(ends), colors = createScale(signedDomain(1), theme().mode)
    /** @type {Map<string, MapRow[]>} */ const towers = new Map(ends ? byTower(listRows(latest)) : [])
    for (const [tower, { section }] of grids) section.hidden = !towers.has(tower)
    for (const [tower, rows] of towers) {
      const [{ name, heads }] = rows, count = Math.max(0, ...rows.map(row => values.get(row.name)?.length ?? 0))
      const columns = columnsOf(run, name, count, heads && (head => t('stages.ablation.head', { head })))
      const corner = heads ? 'attention' : latest.kind === 'residual' ? 'corner' : 'added'
      gridOf(tower).update(t(`stages.patching.${corner}`), columns, rows.map(row => ({
        key: row.name, head: nameOf(row), cells: columns.map((_, i) => {
          const value = values.get(row.name)?.[i]
          if (value === undefined || !share) return { text: '' }
          const color = colors.at(Math.max(-1, Math.min(1, share(value))))
          return { text: formatFixed(share(value)), color, isMarked: chosen?.row.name === row.name && chosen.at === i }
        })
      })))
    }
    key.update(signedDomain(1), theme().mode, t('stages.patching.scale'))
    legends.hidden = !ends
  }
  /**
   * The places of the answer that differ, and which one is patched.
   * @param {Difference[]} differences @param {Pick<ReturnType<typeof data>, 'row' | 'kind' | 'parts'>} choice
   */
  function drawChoices(differences, { row, kind, parts }) {
    const shown = differences.find(({ step }) => step === row) ?? differences[0]
    steps.update(differences.map(({ step, here, there }) => ({ value: step, text: `${here} → ${there}` })), shown?.step)
    const hasRows = (/** @type {Kind} */ value) => listRows({ parts, kind: value }).length > 0
    kinds.update(KINDS.filter(hasRows).map(value => ({ value, text: t(`stages.patching.kinds.${value}`) })), kind)
    tools.hidden = !shown
    return shown
  }
  /** What prevents a map, in words. @param {Run} run */
  function problemOf(run) {
    const { text, problem: found } = otherText(), count = lengthOf(run)
    if (found) return t(found.key, found.values)
    if (!text) return t('stages.patching.write', { count })
    if (!other) return ''
    if (other.length !== count) return t('stages.patching.lengths', { here: count, there: other.length })
    return here && listDifferences(here, other).length === 0 ? t('stages.patching.same') : ''
  }
  /** @param {Run} run */
  function showProblem(run) {
    const text = problemOf(run), { pair } = otherText()
    problem.hidden = text === ''
    setText(problem, text)
    example.hidden = problem.hidden || !pair
    if (pair) setLink(example, pair)
  }
  /** @param {{ steps: Decoding['steps'] }} answer */
  function answerOf({ steps: list }) {
    const tokens = list.map(({ token }) => token)
    return context.written(tokens) || tokens.join(' ')
  }
  function clear() {
    values = new Map()
    ends = chosen = here = other = null
    tools.hidden = confirmation.hidden = true
    drawAnswers()
    progress.update(0, 0)
    describe()
    drawMaps()
  }
  /**
   * What the model answers to a text, in the tokens of the displayed run, which are named in the reader's language.
   * @param {string} text @param {Pick<ReturnType<typeof data>, 'run' | 'parts'>} displayed
   * @returns {Promise<OtherText>}
   */
  async function answerTo(text, { run, parts: { logits } }) {
    const answer = await runQuery('answerTo', { state: get(), text })
    return { ...answer, steps: answer.steps.map(step => ({ ...step, token: nameOfToken(run, logits, step.id) })) }
  }
  /**
   * The place of the answer that is patched, with both answers' tokens; null where nothing can be compared.
   * @param {ReturnType<typeof data>} next @param {() => boolean} isStopped
   * @returns {Promise<Omit<PatchQuery, 'targets'> | null>}
   */
  async function compareAnswers({ run, row, kind, parts }, isStopped) {
    const { own, text, problem: found } = otherText(), state = get()
    showProblem(run)
    if (!text || found) return null
    const both = await Promise.all([own, text].map(one => answerTo(one, { run, parts })))
    if (isStopped()) return null
    here = both[0]
    other = both[1]
    showProblem(run)
    drawAnswers()
    const difference = drawChoices(listDifferences(here, other), { row, kind, parts })
    for (const { element } of [steps, kinds]) element.toggleAttribute('disabled', !problem.hidden)
    if (!problem.hidden || !difference) return null
    const [ids, otherIds] = both.map(({ steps: list }) => list.map(one => one.id))
    return { state, text, step: difference.step, ids, otherIds }
  }
  /** Both answers, and the present one where it is another. */
  function drawAnswers() {
    answers.hidden = !here || !other
    if (!here || !other || !latest) return
    const [own, there, now] = [here, other, latest.run.decoding ?? here].map(answerOf)
    const isChanged = latest.edits.length > 0
    setText(answers, [t('stages.patching.answers', { here: own, there }), isChanged && t('stages.patching.changed', { now })]
      .filter(Boolean).join(' '))
  }
  /**
   * Fills the map row by row; a new request stops the previous one.
   * @param {ReturnType<typeof data>} next @param {boolean} mayAsk whether to ask first if the map takes long
   * @param {() => boolean} isStopped
   */
  async function compute(next, mayAsk, isStopped) {
    clear()
    const query = await compareAnswers(next, isStopped)
    if (!query || isStopped()) return
    const parts = /** @type {PatchQuery['targets'][]} */ (next.kind === 'heads' ? ['heads'] : listRows(next).map(({ name }) => [name]))
    const start = performance.now()
    for (const [done, targets] of parts.entries()) {
      const report = (/** @type {number} */ fraction) => progress.update(done + fraction, parts.length)
      report(0)
      const { rows, ...both } = await runQuery('patch', { ...query, targets }, part => !isStopped() && report(part.done))
      if (isStopped()) return
      for (const { name, values: list } of rows) values.set(name, list)
      ends = both
      drawMaps()
      const time = (performance.now() - start) * (parts.length - 1)
      if (done === 0 && mayAsk && time > LONG_MS) return askFirst(time)
    }
    progress.update(parts.length, parts.length)
    // A lesson may ask which place it is.
    if (!chosen && !get().lesson) chooseLargest(listRows(next))
  }
  /** Chooses the place that carries most of the difference, and scrolls to it. @param {MapRow[]} rows */
  function chooseLargest(rows) {
    let max = -Infinity
    for (const row of rows) values.get(row.name)?.forEach((value, at) => {
      if (value <= max) return
      max = value
      chosen = { row, at }
    })
    if (!chosen) return
    gridOf(chosen.row.tower).seek(chosen.at)
    drawMaps()
    describe()
    for (const { element } of grids.values()) {
      const cell = /** @type {HTMLElement | null} */ (element.querySelector('.is-marked'))
      if (cell) element.scrollLeft = cell.offsetLeft - element.clientWidth / 2
    }
  }
  /** @param {number} time that the rest of the map takes */
  function askFirst(time) {
    setText(question, t('stages.patching.takes', { minutes: Math.round(time / LONG_MS) }))
    confirmation.hidden = false
  }
  /** @param {ReturnType<typeof data>} next @param {boolean} mayAsk */
  function begin(next, mayAsk) {
    const ownJob = job = {}, isStopped = () => job !== ownJob
    shownText = otherText().text
    shownKey = keyOf(next)
    maps.setAttribute('aria-busy', 'true')
    // A map that is stopped while it fills ends with an error, which nobody needs to read.
    compute(next, mayAsk, isStopped).catch(error => isStopped() || reportError(error))
      .then(() => isStopped() || maps.setAttribute('aria-busy', 'false'))
  }
  return {
    update(next) {
      const { text } = otherText(), isNew = keyOf(next) !== shownKey || text !== shownText
      latest = next
      if (activeElementNear(field) !== field) field.value = text
      if (isNew) return begin(next, true)
      drawMaps()
      return describe()
    },
    mark() {},
    destroy() {
      job = {}
      clearTimeout(pause)
      runQuery('stopWork', {}).catch(reportError)
    }
  }
}
