/** Keeps the address and the links to the rooms in step with the state. */

import { doorsOf, toHash } from './state.js'

/** @import { State } from '../types.d.ts' */

const DELAY = 120

/**
 * The address is also written when the window loses the focus, since the reader may be about to copy it.
 * @param {(state: State) => State} addressed what has to be said of a state
 */
export function linked(addressed) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  /** The state that is not yet written to the address. @type {State | null} */ let late = null
  const forget = () => {
    clearTimeout(timer)
    late = null
  }
  const flush = () => {
    if (late) history.replaceState(null, '', `#${toHash(addressed(late))}`)
    forget()
  }
  for (const leaving of ['blur', 'pagehide']) addEventListener(leaving, flush)
  return {
    /**
     * Writes at once for a step that Back undoes, else at a pause, since writing is slow.
     * @param {State} state @param {'push' | 'replace'} way
     */
    write(state, way) {
      if (way === 'push') {
        flush()
        history.pushState(null, '', `#${toHash(addressed(state))}`)
      } else {
        forget()
        late = state
        timer = setTimeout(flush, DELAY)
      }
    },
    /** Discards what is not yet written: the reader has navigated elsewhere. */
    forget
  }
}

/**
 * Full links to the rooms, since one that begins with `#` is taken for an anchor of this page.
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
