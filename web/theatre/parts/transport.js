/** Controls of a training: play, single steps, pace, a scrubber to go back, and the remaining time. */

import { h, setText, uniqueId } from '../../lib/dom.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { News } from '../training_record.js' */

/** The minimum duration of a step in milliseconds, by pace. @type {Record<string, number>} */
const PACES = { full: 0, watch: 100, slow: 1000 }

/**
 * @param {Element} container
 * @param {{ t: Translate, play(pace: number): void, pause(): void, step(): void, layer(): void,
 *   pace(pace: number): void, seek(step: number): void, again(): void }} deeds layer: one layer's part of a step
 */
export function transport(container, { t, play, pause, step, layer, pace, seek, again }) {
  let isPlaying = false, isAllowed = true
  /** @type {() => void} */ let refresh = () => {}
  const paceOf = () => PACES[select.value]
  const player = h('button', { 'type': 'button', 'className': 'theatre-play', 'data-action': 'play', 'onclick': () => (
    isPlaying ? pause() : play(paceOf())) })
  const one = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'step', 'onclick': step },
    t('theatre.step'))
  const part = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'oneLayer', 'onclick': layer },
    t('theatre.oneLayer'))
  const anew = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'again', 'onclick': again },
    t('theatre.again'))
  const id = uniqueId('pace')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, onchange: () => pace(paceOf()) },
    Object.keys(PACES).map(word => h('option', { value: word }, t(`theatre.paces.${word}`))))
  /** @type {HTMLInputElement} */
  const slider = h('input', {
    'type': 'range', 'min': 0, 'step': 1, 'data-action': 'seek', 'aria-label': t('theatre.history'),
    'oninput': () => seek(Number(slider.value))
  })
  const place = h('output', { className: 'theatre-place' })
  const left = h('span', { className: 'theatre-left' })
  const bar = h('progress', { 'aria-label': t('theatre.progress') })
  const shelf = h('p', { className: 'theatre-shelf' })
  container.append(h('div', { 'className': 'theatre-transport', 'role': 'group', 'aria-label': t('theatre.drive') },
    player, one, part, anew, h('label', { for: id, className: 'visually-hidden' }, t('theatre.pace')), select, place, left),
  h('div', { className: 'theatre-line' }, bar, slider), shelf)

  return {
    /** Whether the settings are valid. @param {boolean} isRight */
    allow(isRight) {
      isAllowed = isRight
      refresh()
    },
    /**
     * @param {News & { total: number, known: number }} view what the worker said last; total and known: how many
     *   steps there will be, and were
     */
    update({ done, total, known, isOver, perStep, shelf: facts, isPlaying: plays, broken }) {
      isPlaying = plays
      setText(player, t(plays ? 'theatre.pause' : 'theatre.play'))
      refresh = () => {
        const isAtEnd = Boolean(isOver || broken || !isAllowed)
        player.disabled = !plays && isAtEnd
        for (const button of [one, part]) button.disabled = plays || isAtEnd
      }
      refresh()
      slider.max = String(Math.max(1, known))
      if (document.activeElement !== slider || plays) slider.value = String(done)
      slider.setAttribute('aria-valuetext', t('theatre.at', { step: done, total }))
      slider.style.setProperty('--known', `${100 * Math.max(1, known) / total}%`)
      bar.max = total
      bar.value = known
      setText(place, t('theatre.at', { step: done, total }))
      const seconds = perStep === null ? '' : String(Math.ceil((total - done) * Math.max(perStep, paceOf()) / 1000))
      setText(left, isOver ? t('theatre.over') : seconds === '' ? '' : t('theatre.left', { seconds }))
      const megabytes = (facts.bytes / 2 ** 20).toFixed(1)
      setText(shelf, t('theatre.shelf', {
        count: facts.count, apart: facts.apart, megabytes, most: Math.round(facts.limit / 2 ** 20)
      }))
    }
  }
}
