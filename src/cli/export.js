/** Pictures of rooms of the page's models, without a browser. */
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { formatBytes } from './models.js'
import { UsageError } from './options.js'
import { expectNewFile } from './paths.js'

/** Drawing is a part of the page; it is built beside the weights of the page's models. */
const FOLDER = new URL('../../dist/elements/', import.meta.url)

/** @param {string} name */
async function readWeights(name) {
  try {
    return await readFile(new URL(name, FOLDER))
  } catch {
    throw new UsageError(`--settings: the weights ${basename(name)} of this variant are only in a build of the page`)
  }
}

/**
 * Saves a room as SVG. @param {any} gf @param {string[]} positionals
 * @param {{ figure?: string, out?: string, head?: number, [name: string]: any }} options
 */
export async function exportRoom(gf, [extra], { figure, out, head, ...options }) {
  if (extra !== undefined) throw new UsageError(`export takes only options, got '${extra}'`)
  if (!figure) throw new UsageError('export: --figure must name a room, such as weights')
  if (!out?.endsWith('.svg')) throw new UsageError(`export: --out must name a new .svg file, got '${out ?? ''}'`)
  expectNewFile(out, undefined)
  const { exportFigure } = await import(new URL('export_figure.js', FOLDER).href)
  try {
    const svg = await exportFigure(gf, { ...options, room: figure, head: head?.toString() }, readWeights)
    await writeFile(out, `${svg}\n`)
    return [`${out}  ${formatBytes(Buffer.byteLength(svg) + 1)}\n`]
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new UsageError(`--${error.message.replace(/^room\b/, 'figure')}`)
  }
}
