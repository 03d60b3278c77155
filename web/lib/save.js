/** Saves a file as a download. */

import { h } from './dom.js'

/** @param {Blob} blob @param {string} name */
export function saveBlob(blob, name) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href))
}
