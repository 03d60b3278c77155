/** Controls of a training: play, single steps, pace, a scrubber to go back, and the remaining time. */

import { h, setText, uniqueId } from '../../lib/dom.js'

/** @import { Translate } from '../../types.d.ts' */
/** @import { News } from '../../../src/training/training_record.js' */

/** The minimum duration of a step in milliseconds, by pace. @type {Record<string, number>} */
const PACES = { full: 0, watch: 100, slow: 1000 }

/**
 * @param {Element} container
 * @param {{ t: Translate, play(pace: number): void, pause(): void, step(): void, layer?(): void,
 *   pace(pace: number): void, seek(step: number): void, again(): void }} deeds layer: one layer's part of a step, where
 *   steps can be taken apart; there, too, it says which steps are kept
 */
export function mountTransport(container, { t, play, pause, step, layer, pace, seek, again }) {
  let isPlaying = false, isAllowed = true
  let refresh = () => { for (const button of [player, stepButton, ...layerButtons]) button.disabled = !isAllowed }
  const selectedPace = () => PACES[select.value]
  const player = h('button', { 'type': 'button', 'className': 'theatre-play', 'data-action': 'play', 'onclick': () => (
    isPlaying ? pause() : play(selectedPace())) }, t('theatre.play'))
  const stepButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'step', 'onclick': step },
    t('theatre.step'))
  const layerButtons = layer ? [h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'oneLayer', 'onclick': layer },
    t('theatre.oneLayer'))] : []
  const restartButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'again', 'onclick': again },
    t('theatre.again'))
  const id = uniqueId('pace')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, onchange: () => pace(selectedPace()) },
    Object.keys(PACES).map(word => h('option', { value: word }, t(`theatre.paces.${word}`))))
  /** @type {HTMLInputElement} */
  const slider = h('input', {
    'type': 'range', 'min': 0, 'step': 1, 'data-action': 'seek', 'aria-label': t('theatre.history'),
    'oninput': () => seek(Number(slider.value))
  })
  const position = h('output', { className: 'theatre-place' })
  const remainingTime = h('span', { className: 'theatre-left' })
  const bar = h('progress', { 'aria-label': t('theatre.progress') })
  const snapshotInfo = h('p', { className: 'theatre-shelf' })
  container.append(h('div', { 'className': 'theatre-transport', 'role': 'group', 'aria-label': t('theatre.drive') },
    player, stepButton, layerButtons, restartButton, h('label', { for: id, className: 'visually-hidden' }, t('theatre.pace')), select, position, remainingTime),
  h('div', { className: 'theatre-line' }, bar, slider), snapshotInfo)

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
    update({ done, total, known, isOver, perStep, shelf: facts, isPlaying: nowPlaying, broken }) {
      isPlaying = nowPlaying
      setText(player, t(nowPlaying ? 'theatre.pause' : 'theatre.play'))
      refresh = () => {
        const isAtEnd = Boolean(isOver || broken || !isAllowed)
        player.disabled = !nowPlaying && isAtEnd
        for (const button of [stepButton, ...layerButtons]) button.disabled = nowPlaying || isAtEnd
      }
      refresh()
      slider.max = String(Math.max(1, known))
      if (document.activeElement !== slider || nowPlaying) slider.value = String(done)
      slider.setAttribute('aria-valuetext', t('theatre.at', { step: done, total }))
      slider.style.setProperty('--known', `${100 * Math.max(1, known) / total}%`)
      bar.max = total
      bar.value = known
      setText(position, t('theatre.at', { step: done, total }))
      const seconds = perStep === null ? '' : String(Math.ceil((total - done) * Math.max(perStep, selectedPace()) / 1000))
      setText(remainingTime, isOver ? t('theatre.over') : seconds === '' ? '' : t('theatre.left', { seconds }))
      if (!layer) return
      const megabytes = (facts.bytes / 2 ** 20).toFixed(1)
      setText(snapshotInfo, t('theatre.shelf', {
        count: facts.count, apart: facts.apart, megabytes, most: Math.round(facts.limit / 2 ** 20)
      }))
    }
  }
}
