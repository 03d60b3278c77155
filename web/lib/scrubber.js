/** A scrubber over steps: previous, next, playback at a calm pace, and a slider. */

import { h, setText } from './dom.js'

/** Milliseconds per step of playback, long enough to read it. */
const STEP_MS = 1400

const WORDS = /** @type {const} */ (['label', 'back', 'on', 'play', 'pause', 'whole'])

/** The labels of its parts. @param {import('../types.d.ts').Translate} t */
export const scrubberLabels = t => /** @type {Record<typeof WORDS[number], string>} */ (
  Object.fromEntries(WORDS.map(name => [name, t(`scrub.${name}`)])))

/**
 * Mounts a scrubber over some steps, or all of them at once.
 * @param {Element} container
 * @param {{ label: string, back: string, on: string, play: string, pause: string, whole: string }} words
 * @param {(step: number, isPlayed?: boolean) => void} goTo −1 stands for all steps at once; isPlayed: by playback
 * @param {{ endsWithAll?: boolean }} [options] whether playback ends with all steps at once
 */
export function mountScrubber(container, words, goTo, { endsWithAll = false } = {}) {
  let current = { step: -1, count: 1 }
  /** @type {ReturnType<typeof setTimeout> | 0} */ let timer = 0
  const stop = () => {
    clearTimeout(timer)
    timer = 0
    draw()
  }
  /** @param {number} step */
  const stopAt = step => {
    stop()
    goTo(step)
  }
  const tick = () => {
    const next = current.step + 1, isOver = next >= current.count
    timer = next < current.count - (endsWithAll ? 0 : 1) ? setTimeout(tick, STEP_MS) : 0
    goTo(isOver ? -1 : next, true)
  }
  const play = () => {
    if (timer) return stop()
    if (current.step === current.count - 1) current = { ...current, step: -1 }
    return tick()
  }
  /** @param {string} sign @param {'back' | 'play' | 'on'} name @param {() => void} act */
  const button = (sign, name, act) => h('button', {
    'type': 'button', 'className': `scrub-button scrub-${name}`, 'aria-label': words[name], 'title': words[name], 'onclick': act
  }, sign)
  const back = button('‹', 'back', () => stopAt(current.step < 0 ? current.count - 2 : current.step - 1))
  const player = button('▶', 'play', play)
  const next = button('›', 'on', () => stopAt(current.step + 1))
  const slider = h('input', {
    'type': 'range', 'min': 0, 'step': 1, 'aria-label': words.label, 'oninput': ({ currentTarget }) => stopAt(Number(currentTarget.value))
  })
  const output = h('output')
  const wholeButton = h('button', { type: 'button', className: 'quiet', onclick: () => stopAt(-1) }, words.whole)
  container.append(h('div', { 'className': 'scrubber', 'role': 'group', 'aria-label': words.label },
    h('span', { className: 'scrub-buttons' }, back, player, next), slider, output, wholeButton))

  function draw() {
    const { step, count } = current
    const isAllSteps = step < 0
    slider.max = String(count - 1)
    slider.value = String(isAllSteps ? count - 1 : step)
    slider.setAttribute('aria-valuetext', isAllSteps ? words.whole : `${step + 1} / ${count}`)
    setText(output, isAllSteps ? String(count) : `${step + 1} / ${count}`)
    setText(player, timer ? '❚❚' : '▶')
    player.setAttribute('aria-label', timer ? words.pause : words.play)
    back.disabled = step === 0 || count < 2
    next.disabled = isAllSteps || step === count - 1
    wholeButton.setAttribute('aria-pressed', String(isAllSteps))
  }
  return {
    /** Plays from the current step. */
    start() {
      clearTimeout(timer)
      timer = setTimeout(tick, STEP_MS)
      draw()
    },
    stop,
    /** @param {number} step @param {number} count */
    update(step, count) {
      current = { step, count }
      draw()
    },
    destroy: () => clearTimeout(timer)
  }
}
