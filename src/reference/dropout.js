// y = x * (keep * scale) with scale = 1 / (1 - p): what is kept grows so that the expected value stays. The mask is an
// input here; who draws it is random.js's business. PyTorch holds the scale in float32, so a caller may give it.

const factor = (keep, { p, scale = 1 / (1 - p) }) => (keep ? scale : 0)

const scaled = (t, keep, params) => ({
  shape: [...t.shape],
  data: Float64Array.from(t.data, (value, i) => value * factor(keep.data[i], params))
})

export const forward = ({ x, keep }, params) => ({ y: scaled(x, keep, params) })

export const backward = ({ keep }, params, { y: dy }) => ({ x: scaled(dy, keep, params) })
