/** Files and standard input: paths are checked before anything is computed. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from './options.js'

/** Maximum size of standard input in bytes, so that the text and its derivatives fit a string. */
const MAX_INPUT = 2 ** 28

/** Whether a path is a regular file; devices and pipes may have no end. @param {string} path */
export const isFile = path => existsSync(path) && statSync(path).isFile()

/** Whether a path is a folder. @param {string} path */
export const isFolder = path => existsSync(path) && statSync(path).isDirectory()

/** Whether a path is the address of a folder or file on a server. @param {string} path */
export const isAddress = path => /^https?:\/\//.test(path)

/** Throws unless a path is a file, a folder or an address. @param {string} path @throws {UsageError} */
export function expectReadable(path) {
  if (isAddress(path)) return
  if (!existsSync(path)) throw new UsageError(`there is no file or folder '${path}'`)
  if (!isFile(path) && !isFolder(path)) throw new UsageError(`'${path}' is neither a file nor a folder`)
}

/**
 * Throws unless a path is a new file in a writable folder.
 * @param {string} path @param {string | undefined} from the file that training resumes from, which may be replaced
 * @throws {UsageError}
 */
export function expectNewFile(path, from) {
  if (isFolder(path)) throw new UsageError(`--out must name a file, and '${path}' is a folder`)
  const isSame = from !== undefined && existsSync(path) && realpathSync(path) === realpathSync(from)
  if (existsSync(path) && !isSame) throw new UsageError(`'${path}' exists already; name another file by --out`)
  expectWritable(dirname(path))
}

/** Throws unless files can be written into a folder. @param {string} folder @throws {UsageError} */
function expectWritable(folder) {
  if (!isFolder(folder)) throw new UsageError(`--out: there is no folder '${folder}'`)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new UsageError(`--out: the folder '${folder}' is not writable`)
  }
}

/**
 * Throws unless a path is a writable folder or can become one.
 * @param {string} path @throws {UsageError}
 */
export function expectFolderPath(path) {
  let parent = path
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent)
  if (!isFolder(parent)) throw new UsageError(`--out must name a folder, and '${parent}' is none`)
  expectWritable(parent)
}

/** Reads standard input. @param {AsyncIterable<Uint8Array>} stream @throws {UsageError} if it is too long */
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
