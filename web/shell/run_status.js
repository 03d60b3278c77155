/** Status below the fields: truncated texts, and the progress of a long run, with a button that stops it. */

import { h, setText } from '../lib/dom.js'
import { grouped } from '../lib/costs.js'

/** @import { Context, Progress, Run, Translate, Truncation } from '../types.d.ts' */

/** Milliseconds before progress is displayed. */
const SHORT = 300

/** @param {string} field @param {Truncation} cut @param {Translate} t */
const cutWords = (field, { read, of, by }, t) => (
  t(`reading.${field}.${by}`, { read: grouped(read), count: of, of: grouped(of) }))

/** @param {HTMLElement} element @param {Pick<Context, 't' | 'ask' | 'fails'>} context */
export function runStatus(element, { t, ask, fails }) {
  const cut = h('span'), progressText = h('span', { role: 'status' })
  const stop = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'finish', 'onclick': () => {
    ask('finish', {}).catch(fails)
  } }, t('reading.stop'))
  element.replaceChildren(cut, progressText, stop)
  /** @type {Progress | null} */ let progress = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  let isLong = false
  function draw() {
    const isGoing = isLong && progress !== null
    const { written: count = 0, isDone = false } = progress ?? {}
    const key = isDone ? 'computes' : count ? 'writes' : 'reads'
    setText(progressText, isGoing ? t(`reading.${key}`, { count }) : '')
    stop.hidden = !isGoing || isDone
    element.hidden = !isGoing && cut.textContent === ''
  }
  return {
    /** @param {Run | null} run */
    update(run) {
      const parts = Object.entries(run?.truncated ?? {}).map(([field, one]) => one && cutWords(field, one, t))
      setText(cut, parts.filter(Boolean).join(' '))
      draw()
    },
    /** @param {Progress | null} next */
    showProgress(next) {
      progress = next
      if (!next) {
        clearTimeout(timer)
        timer = undefined
        isLong = false
      } else timer ??= setTimeout(() => {
        isLong = true
        draw()
      }, SHORT)
      if (isLong || !next) draw()
    }
  }
}
