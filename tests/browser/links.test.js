// Links that somebody has mistyped, cut or made up: the page answers each in words or with a figure, and goes on. The
// long run spoils five hundred.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { toHash } from '../../web/models/state.js'
import { isLong } from '../lib/long.js'
import { makeDetachedRun } from '../lib/page.js'
import { waitForRuns, countRuns, completeState, useBrowser } from './host.js'

const { open } = useBrowser()
const COUNT = isLong ? 500 : 20
const SEED = 20261122
/** For what is asked of the worker to come back, in milliseconds. */
const PAUSE = 60
const VALUES = ['', '-1', '1.5', 'NaN', '1e9', '-Infinity', '0', '00', 'x', 'constructor', '__proto__', '%', '%EA%B0',
  '한글', '1,2', '9007199254740993', 'false', ' ', '…'.repeat(300)]

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function drawing(seed) {
  let a = seed
  return () => {
    a = a + 0x6D2B79F5 | 0
    let t = Math.imul(a ^ a >>> 15, 1 | a)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }
}
const draw = drawing(SEED)
const pickRandom = list => list[Math.floor(draw() * list.length)]

/** What all rooms of all models are shown with; of some numbers there are two or three, of others a dozen. */
const BASES = READY.flatMap(({ id: model }) => {
  const state = { model, ...(model === 'sentences' && { text: 'a b c\nd e\nf g h i' }) }
  const run = makeDetachedRun(state), rooms = roomsOf(run)
  return rooms.map(({ id }) => ({ ...state, room: id }))
})
const NUMBERS = ['sentence', 'head', 'row', 'step']
/** Words of a link that choose a place, so that any may stand in any room. */
const RARE = ['twin', 'cell', 'edits', 'lesson', 'theatre', 'lit', 'glossary', 'at', 'depth', 'part']
const WRITTEN = ['heads:2', 'scale:0', 'attention', 'dates', 'self_attn.weights:0,0,0,0', 'softmax',
  'transformer.encoder.layers.0.norm1.output:0,9,9=5']

/** Ways to spoil a link; the first two leave it readable. */
const SPOILS = [
  pairs => ({ ...pairs, [pickRandom(NUMBERS)]: pickRandom(VALUES), [pickRandom(NUMBERS)]: pickRandom(['1.5', '-1', '0.5', '1e9']) }),
  pairs => ({ ...pairs, [pickRandom(RARE)]: pickRandom([...VALUES, ...WRITTEN]),
    [pickRandom(Object.keys(pairs))]: pickRandom(VALUES) }),
  pairs => Object.fromEntries(Object.keys(pairs).map(key => [key, pickRandom(VALUES)])),
  pairs => Object.fromEntries(Object.entries(pairs).filter(() => draw() > 0.3)),
  pairs => Object.fromEntries(Object.entries(pairs).map(([key, value]) => (
    draw() < 0.2 ? [key.slice(1), value] : [key, value.slice(0, draw() * value.length)]))),
  pairs => ({ ...pairs, edits: `${pickRandom(VALUES)}:${pickRandom(VALUES)}=${pickRandom(VALUES)}`, cell: `${pickRandom(VALUES)}:${pickRandom(VALUES)}` })
]
const spoilLink = base =>
  Object.entries(pickRandom(SPOILS)(Object.fromEntries(new URLSearchParams(toHash(completeState(base))))))
    .map(([key, value]) => `${key}=${draw() < 0.5 ? value : encodeURIComponent(value)}`).join('&')

test(`${COUNT} corrupted links throw no exception, and a valid one after each ten works`, async t => {
  const { page, complaints, close } = await open({ model: 'sentences', room: 'house' })
  t.diagnostic(`seed ${SEED}`)
  for (let at = 0; at < COUNT; at++) {
    const hash = spoilLink(pickRandom(BASES))
    await page.evaluate(link => { location.hash = link }, hash)
    await page.waitForTimeout(PAUSE)
    if (at % 10 === 9) {
      const before = await countRuns(page)
      await page.evaluate(number => { location.hash = `v=1&model=sentences&room=scores&text=rain%20${number}` }, at)
      await waitForRuns(page, before + 1)
      assert.equal(await page.textContent('#status'), '', `after link ${at}`)
    }
    assert.deepEqual(complaints, [], `link ${at}: ${hash}`)
  }
  await close()
})
