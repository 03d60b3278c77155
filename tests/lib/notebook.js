// Runs a notebook in Node as the page's worker does: cells share one global scope, and their output is collected.
import vm from 'node:vm'
import { load } from '../../src/js/index.js'
import { formatPrinted } from '../../web/notebooks/print.js'
import { toScript } from '../../web/notebooks/script.js'

const isNumbers = value => Array.isArray(value) && value.flat(Infinity).every(item => typeof item === 'number')

/** The output of every cell of a notebook. @returns {Promise<{ text: string, numbers: number[], value: any }[][]>} */
export async function runDocument({ cells }) {
  let output = []
  function print(value, options) {
    const { text, numbers } = formatPrinted(value, options)
    const copy = numbers.length ? undefined : JSON.parse(JSON.stringify(value))
    output.push({ text, numbers: isNumbers(copy) ? copy.flat(Infinity) : numbers, value: copy })
  }
  const context = vm.createContext({ gf: await load(), print, plot() {}, performance })
  return cells.map(({ js }) => {
    output = []
    vm.runInContext(toScript(js), context)
    return output
  })
}
