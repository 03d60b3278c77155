/** Downsamples a long curve for drawing: the minimum and the maximum of each range, without interpolation. */

/**
 * @param {ArrayLike<number>} values of steps 1, 2, ... @param {number} maxPoints
 * @returns {{ x: number, y: number }[]} steps and values, in order
 */
export function downsample(values, maxPoints) {
  const width = Math.max(1, Math.ceil(values.length * 2 / maxPoints))
  const points = []
  for (let from = 0; from < values.length; from += width) {
    let [low, high] = [from, from]
    for (let i = from; i < Math.min(values.length, from + width); i++) {
      if (values[i] < values[low]) low = i
      if (values[i] > values[high]) high = i
    }
    const indices = low === high ? [low] : [low, high].sort((a, b) => a - b)
    points.push(...indices.map(i => ({ x: i + 1, y: values[i] })))
  }
  return points
}

/**
 * The first step, from 1, at which two lists of losses differ; 0 for none yet.
 * @param {number[]} a @param {number[]} b
 */
export function findDivergence(a, b) {
  const count = Math.min(a.length, b.length)
  for (let i = 0; i < count; i++) if (!Object.is(a[i], b[i])) return i + 1
  return 0
}
