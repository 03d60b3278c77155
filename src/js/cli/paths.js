/** Files and standard input: what cannot be read or written is said before anything is computed. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from './options.js'

/** A text in standard input that is longer does not fit a string with what is made of it. */
const MAX_INPUT = 2 ** 28

/** Whether there is a file, and no folder, device or pipe, some of which have no end. @param {string} path */
export const isFile = path => existsSync(path) && statSync(path).isFile()

/** Whether there is a folder. @param {string} path */
export const isFolder = path => existsSync(path) && statSync(path).isDirectory()

/** @param {string} path @throws {UsageError} */
export function expectReadable(path) {
  if (!existsSync(path)) throw new UsageError(`there is no file or folder '${path}'`)
  if (!isFile(path) && !isFolder(path)) throw new UsageError(`'${path}' is no file and no folder; nothing else is read`)
}

/**
 * A file that is to be written must be new, in a folder that can be written to.
 * @param {string} path @param {string | undefined} from the file that it may replace, because it goes on from there
 * @throws {UsageError}
 */
export function expectNewFile(path, from) {
  if (isFolder(path)) throw new UsageError(`--out must name a file, and '${path}' is a folder`)
  const isSame = from !== undefined && existsSync(path) && realpathSync(path) === realpathSync(from)
  if (existsSync(path) && !isSame) throw new UsageError(`'${path}' is there already; say by --out where the weights go`)
  expectWritable(dirname(path))
}

/** @param {string} folder @throws {UsageError} */
function expectWritable(folder) {
  if (!isFolder(folder)) throw new UsageError(`--out: there is no folder '${folder}'`)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new UsageError(`--out: nothing can be written into the folder '${folder}'`)
  }
}

/**
 * A folder that is to be written is new, or there.
 * @param {string} path @throws {UsageError}
 */
export function expectFolderPath(path) {
  let parent = path
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent)
  if (!isFolder(parent)) throw new UsageError(`--out must name a folder, and '${parent}' is none`)
  expectWritable(parent)
}

/** The text of standard input. @param {AsyncIterable<Uint8Array>} stream @throws {UsageError} when it does not end */
export async function readInput(stream) {
  const decoder = new TextDecoder(), parts = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes > MAX_INPUT) throw new UsageError(`standard input has more than ${MAX_INPUT >> 20} MB; give it in parts`)
    parts.push(decoder.decode(part, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}
