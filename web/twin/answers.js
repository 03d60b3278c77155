/** What both sides answer, token by token, above their figures: where they part, and by how much. */

import { probabilities, scale, signed } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { grid } from '../lib/grid.js'
import { fixed, points } from '../lib/number.js'
import { tensorOf } from '../lib/run.js'
import { valueAt } from '../lib/slice.js'
import { modelOf } from '../models/index.js'
import { readAlike } from './shared_prefix.js'

/** @import { Decoding, Run, Translate, Context } from '../types.d.ts' */
/** @import { GridCell } from '../lib/grid.js' */

/**
 * One step of both answers. Shares are there as far as a run has read what its answer begins with.
 * @typedef {object} Answered
 * @property {string | null} here the token chosen
 * @property {number | null} hereShare its probability
 * @property {string | null} there
 * @property {number | null} thereShare
 * @property {number | null} change of the probability of the token chosen here, where both have read the same
 * @property {boolean} isApart
 */

/**
 * What a decoder has written by itself; nothing where it reads what the reader gave it.
 * @param {Decoding} [decoding]
 */
const own = decoding => (decoding && decoding.kind !== 'given' ? decoding : null)

/** @param {Decoding} one @param {Decoding} other */
function commonSteps(one, other) {
  const apart = one.steps.findIndex(({ token }, i) => token !== other.steps[i]?.token)
  return apart < 0 ? one.steps.length : apart
}

/** The probability a run gives a token at a step. @param {Run} run @param {number} step @param {number} id */
function shareAt({ ends = [], decoding, ...run }, step, id) {
  const tensor = tensorOf(/** @type {Run} */ (run), ends[0])
  const row = decoding?.rows[step]
  return row === undefined || row >= tensor.shape[1] || id >= tensor.shape[2] ? null : valueAt(tensor, [0, row, id])
}

/**
 * Both answers side by side, or null where nobody answers by himself.
 * @param {Run} run @param {Run} other the twin, which may read the answer of the first; its own is told besides
 * @returns {Answered[] | null}
 */
export function answers(run, other) {
  const [mine, theirs, read] = [own(run.decoding), own(other.own), other.decoding]
  if (!mine || !theirs || !read || !run.ends?.length) return null
  const alike = readAlike(run, other), known = commonSteps(theirs, read)
  return Array.from({ length: Math.max(mine.steps.length, theirs.steps.length) }, (_, i) => {
    const [here, there] = [mine.steps[i], theirs.steps[i]]
    const hereShare = here ? shareAt(run, i, here.id) : null
    const then = here && i < alike ? shareAt(other, i, here.id) : null
    return {
      here: here?.token ?? null, hereShare, there: there?.token ?? null,
      thereShare: there && i <= known ? shareAt(other, i, there.id) : null,
      change: then === null || hereShare === null ? null : then - hereShare, isApart: here?.token !== there?.token
    }
  })
}

/** Tokens as text. @param {(string | null)[]} tokens @param {string} model */
function textOf(tokens, model) {
  const list = tokens.filter(token => token !== null)
  return modelOf(model).written(list) || list.join(' ')
}

/** @param {Answered[]} list @param {Translate} t */
function sentence(list, t) {
  const at = list.findIndex(({ isApart }) => isApart)
  if (at < 0) {
    const most = list.reduce((one, other) => (Math.abs(other.change ?? 0) > Math.abs(one.change ?? 0) ? other : one))
    const moved = points(most.change ?? 0)
    return moved === '0' ? t('twin.answers.same') : t('twin.answers.moved', { change: moved, token: most.here })
  }
  const { here, there, hereShare, change } = list[at]
  if (here === null || there === null) return t(here === null ? 'twin.answers.longer' : 'twin.answers.shorter', { step: at + 1 })
  if (change === null || hereShare === null) return t('twin.answers.differ', { step: at + 1, here, there })
  const shares = [2, 3].map(digits => [hereShare, hereShare + change].map(share => fixed(share, digits)))
  const [from, to] = shares.find(([one, other]) => one !== other) ?? shares[0]
  return t('twin.answers.apart', { step: at + 1, here, there, from, to })
}

/**
 * Mounts the place of the answers, empty and hidden.
 * @param {Pick<Context, 't' | 'theme'>} context
 */
export function answerTable({ t, theme }) {
  const told = h('p', { className: 'twin-told' })
  const texts = ['here', 'there'].map(name => h('p', { className: 'twin-text' }, h('b', {}, t(`twin.${name}`)), h('span')))
  const element = h('div', { className: 'twin-answers', hidden: true }, texts, told)
  const table = grid(element, t('twin.answers.label'), t)
  /** @param {string | null} token @param {number | null} share @param {boolean} isMarked @returns {GridCell} */
  const chosen = (token, share, isMarked) => ({
    text: token ?? '', note: share === null ? '' : fixed(share), isMarked: isMarked && token !== null,
    colour: share === null ? null : scale(probabilities(), theme().mode).at(share)
  })
  /** @param {number | null} change @returns {GridCell} */
  const moved = change => (change === null ? { text: '' }
    : { text: points(change), colour: scale(signed(1), theme().mode).at(change) })
  /** @param {Answered[]} list */
  const saidOf = list => list.map(one => `${one.here} ${one.there}`).join()
  /** Where they part is brought in sight, once. @param {Answered[]} list */
  function showApart(list) {
    const said = saidOf(list)
    const first = said === shown ? null : /** @type {HTMLElement | null} */ (element.querySelector('.is-marked'))
    shown = said
    if (first) table.element.scrollLeft = first.offsetLeft + first.offsetWidth - table.element.clientWidth
  }
  let shown = ''
  return {
    element,
    hide() { element.hidden = true },
    /** What the twin has written, for a picture that stands alone. */
    there: () => (element.hidden ? '' : texts[1].lastChild.textContent ?? ''),
    /** @param {Answered[] | null} list @param {string} model */
    update(list, model) {
      element.hidden = !list
      if (!list) return
      const tokens = [list.map(one => one.here), list.map(one => one.there)]
      texts.forEach((text, i) => setText(text.lastChild, textOf(tokens[i], model)))
      setText(told, sentence(list, t))
      if (saidOf(list) !== shown) table.seek(Math.max(0, list.findIndex(({ isApart }) => isApart)))
      table.update(t('twin.answers.token'), list.map((_, i) => String(i + 1)), [
        { key: 'here', head: t('twin.here'), cells: list.map(one => chosen(one.here, one.hereShare, one.isApart)) },
        { key: 'there', head: t('twin.there'), cells: list.map(one => chosen(one.there, one.thereShare, one.isApart)) },
        { key: 'change', head: t('twin.answers.change'), cells: list.map(({ change }) => moved(change)) }
      ])
      showApart(list)
    }
  }
}
