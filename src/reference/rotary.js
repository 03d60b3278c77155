// Pair i of a head turns by position * base^(-2i/D): (a, b) becomes (a cos - b sin, b cos + a sin). Pairs are D/2 apart
// (halves) or neighbours. x [B, H, T, heads*D]; positions [T] or [B, T], from 0 without them. Frequencies and angles
// are
// rounded to float32, as the models in use do: that is part of what is computed, not an error of it.
import { map, zeros } from './tensor.js'

function turned(x, { positions, base = 10000, layout = 'halves', heads = 1 }, sign) {
  const [B, H, T, C] = x.shape, D = C / heads, half = D / 2, y = zeros(x.shape)
  const place = (b, t) => (positions ? (Array.isArray(positions[0]) ? positions[b][t] : positions[t]) : t)
  const frequencies = Array.from({ length: half },
    (_, i) => Math.fround(1 / Math.fround(base ** Math.fround((2 * i) / D))))
  for (let row = 0; row < B * H * T; row++) {
    const position = place(Math.floor(row / (H * T)), row % T)
    for (let pair = 0; pair < heads * half; pair++) {
      const head = Math.floor(pair / half), i = pair % half, start = row * C + head * D
      const [p, q] = layout === 'halves' ? [start + i, start + i + half] : [start + 2 * i, start + 2 * i + 1]
      const angle = sign * Math.fround(Math.fround(position) * frequencies[i])
      y.data[p] = x.data[p] * Math.cos(angle) - x.data[q] * Math.sin(angle)
      y.data[q] = x.data[q] * Math.cos(angle) + x.data[p] * Math.sin(angle)
    }
  }
  return y
}

export const forward = ({ x }, params) => ({ y: turned(x, params, 1) })

/** The derivative of a rotation is the rotation back. */
export const backward = ({ x }, params, { y: dy }) =>
  ({ x: map(turned({ ...dy, shape: x.shape }, params, -1), v => v) })
