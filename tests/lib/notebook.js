// A notebook run in Node as the page runs it in its worker: cells in one global scope, what they print noted.
import vm from 'node:vm'
import { load } from '../../src/js/index.js'
import { printed } from '../../web/notebooks/print.js'
import { scriptOf } from '../../web/notebooks/script.js'

const isNumbers = value => Array.isArray(value) && value.flat(Infinity).every(one => typeof one === 'number')

/** What every cell of a document prints. @returns {Promise<{ text: string, numbers: number[], value: any }[][]>} */
export async function runDocument({ cells }) {
  let output = []
  function print(value, options) {
    const { text, numbers } = printed(value, options)
    const plain = numbers.length ? undefined : JSON.parse(JSON.stringify(value))
    output.push({ text, numbers: isNumbers(plain) ? plain.flat(Infinity) : numbers, value: plain })
  }
  const context = vm.createContext({ gf: await load(), print, plot() {}, performance })
  return cells.map(({ js }) => {
    output = []
    vm.runInContext(scriptOf(js), context)
    return output
  })
}
