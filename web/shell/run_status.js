/** Status below the fields: truncated texts, and the progress of a long run, with a button that stops it. */

import { formatInteger } from '../lib/number.js'
import { h, setText } from '../lib/dom.js'

/** @import { Context, Progress, Run, Translate, Truncation } from '../types.d.ts' */

/** Milliseconds before progress is displayed. */
const PROGRESS_DELAY = 300

/** @param {string} field @param {Truncation} cut @param {Translate} t */
const truncationText = (field, { read, of, limit }, t) => (
  t(`reading.${field}.${limit}`, { read: formatInteger(read), count: of, of: formatInteger(of) }))

/** @param {HTMLElement} element @param {Pick<Context, 't' | 'runQuery' | 'reportError'>} context */
export function createRunStatus(element, { t, runQuery, reportError }) {
  const truncation = h('span'), progressText = h('span', { role: 'status' })
  const stop = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'finish', 'onclick': () => {
    runQuery('finish', {}).catch(reportError)
  } }, t('reading.stop'))
  element.replaceChildren(truncation, progressText, stop)
  /** @type {Progress | null} */ let progress = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  let isLong = false
  function draw() {
    const isVisible = isLong && progress !== null
    const { written: count = 0, isDone = false } = progress ?? {}
    const key = isDone ? 'computes' : count ? 'writes' : 'reads'
    setText(progressText, isVisible ? t(`reading.${key}`, { count }) : '')
    stop.hidden = !isVisible || isDone
    element.hidden = !isVisible && truncation.textContent === ''
  }
  return {
    /** @param {Run | null} run */
    update(run) {
      const parts = Object.entries(run?.truncated ?? {}).map(([field, one]) => one && truncationText(field, one, t))
      setText(truncation, parts.filter(Boolean).join(' '))
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
      }, PROGRESS_DELAY)
      if (isLong || !next) draw()
    }
  }
}
