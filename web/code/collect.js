/** Collects the code of every operation from the sources, when the page is built. */

import { readFile } from 'node:fs/promises'
import { extract } from './extract.js'
import { SOURCES } from './sources.js'

const SRC = new URL('../../src/', import.meta.url)

/** Removes the indentation of an entry in a table of operations. @param {string} code */
const flush = code => code.replaceAll(new RegExp(`^ {${code.search(/\S/)}}`, 'gm'), '')

/**
 * @returns {Promise<Record<string, { c: Piece[], js: Piece[], torch: string }>>} for every operation its pieces of code
 * @typedef {{ file: string, line: number, code: string }} Piece
 */
export async function collectCode() {
  const files = new Map()
  /** @param {string} path @returns {Promise<string>} */
  const textOf = async path => {
    if (!files.has(path)) files.set(path, await readFile(new URL(path, SRC), 'utf8'))
    return files.get(path)
  }
  /** @param {string} folder @param {[string, string[]][]} list */
  const pieces = async (folder, list) => (await Promise.all(list.map(async ([path, names]) => {
    const text = await textOf(`${folder}/${path}`)
    return names.map(name => {
      const code = extract(text, name)
      if (!code) throw new Error(`src/${folder}/${path} has no ${name}`)
      return { file: `src/${folder}/${path}`, line: code.line, code: flush(code.code) }
    })
  }))).flat()
  const entries = Object.entries(SOURCES).map(async ([op, { c, js, torch }]) => (
    [op, { c: await pieces('c', c), js: await pieces('js', js), torch }]))
  return Object.fromEntries(await Promise.all(entries))
}
