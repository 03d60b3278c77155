// Sine and cosine number i of position p are those of the angle p / base^(2i/d). The layout interleaves them, or puts
// all sines before all cosines. If d is odd, there is one more sine than cosines.
import { zeros } from './tensor.js'

/** @type {Record<string, (pair: number, d: number, base: number) => number>} */
const angleRate = {
  direct: (pair, d, base) => 1 / base ** ((2 * pair) / d),
  log: (pair, d, base) => Math.exp((-2 * pair * Math.log(base)) / d)
}

/**
 * @param {object} _
 * @param {{ max_length: number, d_model: number, base?: number, layout?: string, method?: string }} params
 */
export function forward(
  _,
  { max_length: maxLength, d_model: d, base = 10000, layout = 'interleaved', method = 'log' }
) {
  const y = zeros([maxLength, d])
  const sines = Math.ceil(d / 2)
  /** @param {number} pair @param {number} isCosine */
  const place = (pair, isCosine) => {
    if (layout === 'interleaved') return 2 * pair + isCosine
    return isCosine ? sines + pair : pair
  }
  for (let column = 0; column < d; column++) {
    const pair = Math.floor(column / 2)
    const isCosine = column % 2
    const rate = angleRate[method](pair, d, base)
    for (let position = 0; position < maxLength; position++) {
      const angle = position * rate
      y.data[position * d + place(pair, isCosine)] = isCosine ? Math.cos(angle) : Math.sin(angle)
    }
  }
  return { y }
}

/** The table has no inputs to differentiate by. */
export const backward = () => ({})
