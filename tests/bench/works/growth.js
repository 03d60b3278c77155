// The growth of the cost of attention with the length of the text: the exponent p of T^p, fitted to T = 64 ... 2048.
// In theory it is 2. Some work per row does not depend on T, so that p is a little smaller for short texts.
import { F, ourSide, random, toTensor } from '../lib/ours.js'

const H = 12, D = 64
const LENGTHS = [64, 128, 256, 512, 1024, 2048]
const sideName = T => `T = ${T}`

/** The slope of the least-squares line through (log T, log ms). */
function slope(lengths, times) {
  const mean = values => values.reduce((a, b) => a + b, 0) / values.length
  const x = lengths.map(Math.log), y = times.map(Math.log)
  const meanX = mean(x), meanY = mean(y)
  const covariance = x.reduce((sum, value, i) => sum + (value - meanX) * (y[i] - meanY), 0)
  return covariance / x.reduce((sum, value) => sum + (value - meanX) ** 2, 0)
}

const exponent = (lengths, target) => ({ stats }) => ({
  against: `exponent, T = ${lengths[0]} to ${lengths.at(-1)} (time: the latter)`,
  ours: stats[sideName(lengths.at(-1))],
  value: slope(lengths, lengths.map(T => stats[sideName(T)].min)),
  unit: '',
  target,
  atMost: true
})

function prepare() {
  const sides = LENGTHS.map(T => {
    const [q, k, v] = [1, 2, 3].map(seed => toTensor(random([1, H, T, D], seed)))
    return [sideName(T), ourSide(() => F.scaledDotProductAttention(q, k, v, { isCausal: true }))]
  })
  return { sides: Object.fromEntries(sides) }
}

const pairs = LENGTHS.slice(1).map((T, i) => [LENGTHS[i], T])

export default [{
  name: 'growth of causal attention',
  claims: [exponent(LENGTHS, 2.1), ...pairs.map(pair => exponent(pair))],
  prepare
}]
