/** The address follows the state. */

import { toHash } from './state.js'

/** @import { State } from '../types.d.ts' */

const DELAY = 120

/** @param {(state: State) => State} addressed what has to be said of a state */
export function linked(addressed) {
  /** @type {ReturnType<typeof setTimeout> | 0} */ let timer = 0
  const forget = () => {
    clearTimeout(timer)
    timer = 0
  }
  /** @param {State} state */
  const replace = state => history.replaceState(null, '', `#${toHash(addressed(state))}`)
  return {
    /**
     * At once for a step that Back undoes, else at a pause, as writing it is slow.
     * @param {State} state @param {State} before @param {'push' | 'replace'} way
     */
    write(state, before, way) {
      if (way === 'push') {
        if (timer) replace(before)
        history.pushState(null, '', `#${toHash(addressed(state))}`)
      }
      forget()
      if (way === 'replace') timer = setTimeout(() => {
        timer = 0
        replace(state)
      }, DELAY)
    },
    /** What was still to be written is not: the reader has gone elsewhere. */
    forget
  }
}
