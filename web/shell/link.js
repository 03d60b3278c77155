/** The address follows the state, and so do the links to the rooms. */

import { doorsOf, toHash } from './state.js'

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

/**
 * The links to the rooms, whole, since one that begins with `#` is taken for a place of this page.
 * @param {() => State} get
 */
export function roomLinks(get) {
  /** @type {{ state: State | null, to(room: string): string, page: string }} */
  let doors = { state: null, to: room => room, page: '' }
  /** @param {string} room */
  return room => {
    const state = get()
    if (doors.state !== state) doors = { state, to: doorsOf(state), page: location.href.split('#', 1)[0] }
    return `${doors.page}#${doors.to(room)}`
  }
}
