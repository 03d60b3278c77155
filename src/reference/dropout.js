// y = x * (keep * scale) with scale = 1 / (1 - p), which preserves the expected value. The mask `keep` is an input;
// random.js samples it. PyTorch rounds the scale to float32; callers can pass that value.

const factor = (keep, { p, scale = 1 / (1 - p) }) => (keep ? scale : 0)

const scaled = (t, keep, params) => ({
  shape: [...t.shape],
  data: Float64Array.from(t.data, (value, i) => value * factor(keep.data[i], params))
})

export const forward = ({ x, keep }, params) => ({ y: scaled(x, keep, params) })

export const backward = ({ keep }, params, { y: dy }) => ({ x: scaled(dy, keep, params) })
