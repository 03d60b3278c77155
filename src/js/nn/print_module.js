import { formatPythonNumber, formatTuple } from '../tensor/print_tensor.js'

/** Modules as PyTorch prints them (torch/nn/modules/module.py): a tree of classes with their sizes. */

/** @param {string} text of several lines @returns {string} all but the first indented */
const indent = text => text.replaceAll('\n', '\n  ')

/**
 * A class with what it says of itself and the modules inside.
 * @param {string} name @param {string} extra @param {readonly [name: string, module: unknown][]} children
 */
export function formatModule(name, extra, children) {
  const extras = extra ? extra.split('\n') : [], lines = [...extras, ...children.map(([key, child]) => `(${key}): ${indent(String(child))}`)]
  if (!lines.length) return `${name}()`
  return extras.length === 1 && !children.length ? `${name}(${extras[0]})` : `${name}(\n  ${lines.join('\n  ')}\n)`
}

/**
 * A list of modules, in which equal neighbors are printed once.
 * @param {string} name @param {readonly [name: string, module: unknown][]} children
 */
export function formatModuleList(name, children) {
  /** @type {{ first: string, last: string, count: number, text: string }[]} */ const blocks = []
  for (const [key, child] of children) {
    const text = String(child), block = blocks.at(-1)
    if (block?.text === text) Object.assign(block, { last: key, count: block.count + 1 })
    else blocks.push({ first: key, last: key, count: 1, text })
  }
  const lines = blocks.map(({ first, last, count, text }) => (
    indent(count > 1 ? `(${first}-${last}): ${count} x ${text}` : `(${first}): ${text}`)))
  return lines.length ? `${name}(\n  ${lines.join('\n  ')}\n)` : `${name}()`
}

/**
 * Properties as Python's keyword arguments: 'eps=1e-05, bias=True'. Numbers are floats unless they are given as bigint.
 * @param {Record<string, unknown>} values
 */
export const formatArguments = values => Object.entries(values).map(([name, value]) => `${name}=${formatArgument(value)}`).join(', ')

/** @param {unknown} value */
function formatArgument(value) {
  if (typeof value === 'number') return formatPythonNumber(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'string') return `'${value}'`
  return Array.isArray(value) ? formatTuple(value) : String(value)
}
