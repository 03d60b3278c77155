/**
 * A room of a model as SVG, without a document: the matrix that the room is about, computed by the engine and drawn by
 * the same functions as a picture exported from the page. Rooms of text, charts and comparisons need a browser.
 */

import { AttributeError, expectHead, expectOne, findRoom, readState } from '../elements/attributes.js'
import { createScale } from '../lib/color.js'
import { fitCellWidth, cellHeight } from '../lib/matrix.js'
import { PALETTES } from '../lib/palettes.js'
import { describeOrigin } from '../lib/provenance.js'
import { roomName } from '../lib/room_name.js'
import { readRun } from '../lib/run.js'
import { drawFigure } from '../lib/svg.js'
import { translator } from '../lib/text.js'
import { READY, filesFor, settingsOf } from '../models/index.js'
import { nameRun } from '../models/names.js'
import { RUNS } from '../models/runs.js'
import { roomsOf } from '../rooms/index.js'
import { createView } from '../shell/view.js'
import { loadTexts } from '../words/index.js'
import { messageOf } from '../worker/serialize_run.js'
import { picture as activation } from '../stages/activation.js'
import { picture as cross } from '../stages/cross.js'
import { picture as decoding } from '../stages/decoding.js'
import { picture as embedding } from '../stages/embedding.js'
import { picture as heads } from '../stages/heads.js'
import { picture as linear } from '../stages/linear.js'
import { picture as mask } from '../stages/mask.js'
import { picture as norm } from '../stages/norm.js'
import { picture as output } from '../stages/output.js'
import { picture as positions } from '../stages/positions.js'
import { picture as qkv } from '../stages/qkv.js'
import { picture as sampling } from '../stages/sampling.js'
import { picture as scale } from '../stages/scale.js'
import { picture as scores } from '../stages/scores.js'
import { picture as sum } from '../stages/sum.js'
import { picture as weights } from '../stages/weights.js'

/** @import { Language, Library, Mode, Stage, State, Translate } from '../types.d.ts' */

/**
 * The kinds of rooms that are about one matrix.
 * @type {Record<string, Stage['picture']>}
 */
const PICTURES = {
  embedding, positions, sum, qkv, scores, scale, mask, weights, heads, cross, output, norm, linear, activation,
  sampling, decoding
}

/** The kinds of rooms that can be exported. */
export const EXPORTABLE_ROOMS = Object.keys(PICTURES)

/** Pixels that the columns of the matrix share. */
const WIDTH = 900

/**
 * Draws a room.
 * @param {Library} gf
 * @param {{ room: string, model?: string, input?: string, settings?: string, head?: string, lang?: Language,
 *   theme?: Mode }} options as the attributes of `<glass-figure>`
 * @param {(name: string) => Promise<Uint8Array>} readWeights reads a weight file of the page by name
 * @returns {Promise<string>} SVG
 * @throws {RangeError} whose message begins with the name of the option that is wrong
 */
export async function exportFigure(gf, { lang = 'en', theme = 'light', ...options }, readWeights) {
  const texts = await loadTexts(lang, true)
  const t = translator(texts.page, {
    strict: false, own: () => /** @type {any} */ (texts.models)[options.model ?? READY[0].id]
  })
  try {
    return await drawRoom(gf, { ...options, theme, lang }, readWeights, t)
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error
    const { attribute, problem: { key, values } } = error, text = t(key, values)
    throw new RangeError(key === 'elements.expected' ? text : t('elements.problem', { attribute, problem: text }))
  }
}

/**
 * The state, its run and its room.
 * @param {Library} gf @param {State} state @param {Language} language
 * @param {(name: string) => Promise<Uint8Array>} readWeights
 */
async function computeRoom(gf, state, language, readWeights) {
  const settings = settingsOf(state), files = await Promise.all(filesFor(settings).map(readWeights))
  const computed = RUNS[state.model](gf, settings, [], files), run = nameRun(readRun(messageOf(gf, computed)), language)
  computed.run.dispose()
  const rooms = roomsOf(run), room = findRoom(state, rooms)
  if (!PICTURES[room.stage]) {
    throw new RangeError(`room: '${room.stage}' needs a browser; these can be exported: ${EXPORTABLE_ROOMS.join(', ')}`)
  }
  // A page may change rooms; a command means this one.
  if (state.head && (room.parts.heads ?? 1) === 1) throw expectOne('head', String(state.head), '0')
  expectHead(String(state.head), room)
  return { run, room, rooms }
}

/**
 * @param {Library} gf @param {Record<string, string | undefined> & { theme: Mode, lang: Language }} options
 * @param {(name: string) => Promise<Uint8Array>} readWeights @param {Translate} t
 */
async function drawRoom(gf, options, readWeights, t) {
  const element = /** @type {Element} */ ({ getAttribute: name => options[name] ?? null })
  const state = readState(element), { run, room, rooms } = await computeRoom(gf, state, options.lang, readWeights)
  const { part, domain } = PICTURES[room.stage](run, createView(state, run, room, rooms))
  const width = fitCellWidth(WIDTH, part.cols), cell = { width, height: cellHeight(width) }
  const palette = PALETTES[options.theme], scale = createScale(domain, options.theme)
  const streamTexts = Object.values(run.streams)[0]?.texts ?? []
  return drawFigure({
    title: t(`stages.${room.words}.title`), palette,
    subtitle: describeOrigin({ t, room, head: room.parts.heads > 1 ? state.head : null, text: streamTexts[0] ?? '', changes: [] }),
    matrices: [{ part, view: { title: roomName(room, t), scale, palette, cell } }],
    legends: [{ domain, scale, text: '' }]
  }).svg
}
