/** Keeps the address and the links to the rooms in step with the state. */

import { createRoomLinks, toHash } from '../models/state.js'

/** @import { State } from '../types.d.ts' */

const DELAY = 120

/**
 * The address is also written when the window loses the focus, since the reader may be about to copy it.
 * @param {(state: State) => State} toAddressState reduces a state to what the address has to contain
 */
export function createAddressWriter(toAddressState) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  /** The state that is not yet written to the address. @type {State | null} */ let unwritten = null
  const discard = () => {
    clearTimeout(timer)
    unwritten = null
  }
  const writeNow = () => {
    if (unwritten) history.replaceState(null, '', `#${toHash(toAddressState(unwritten))}`)
    discard()
  }
  for (const eventType of ['blur', 'pagehide']) addEventListener(eventType, writeNow)
  return {
    /**
     * 'push' adds a history entry at once, which Back undoes. 'replace' changes the current entry after a pause of
     * DELAY milliseconds, since writing is slow.
     * @param {State} state @param {'push' | 'replace'} historyMode
     */
    write(state, historyMode) {
      if (historyMode === 'push') {
        writeNow()
        history.pushState(null, '', `#${toHash(toAddressState(state))}`)
      } else {
        discard()
        unwritten = state
        timer = setTimeout(writeNow, DELAY)
      }
    },
    /** Discards what is not yet written: the reader has navigated elsewhere. */
    forget: discard
  }
}

/**
 * Creates full links to the rooms, since a link that begins with `#` is taken for an anchor of this page.
 * @param {() => State} get
 */
export function roomLinks(get) {
  /** @type {{ state: State | null, to(room: string): string, page: string }} */
  let cachedLinks = { state: null, to: room => room, page: '' }
  /** @param {string} room */
  return room => {
    const state = get()
    if (cachedLinks.state !== state) cachedLinks = { state, to: createRoomLinks(state), page: location.href.split('#', 1)[0] }
    return `${cachedLinks.page}#${cachedLinks.to(room)}`
  }
}
