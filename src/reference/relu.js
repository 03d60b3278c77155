// y = max(x, 0). At 0 the slope is taken as 0; NaN stays NaN.
import { map } from './tensor.js'

export const forward = ({ x }) => ({ y: map(x, value => (value <= 0 ? 0 : value)) })

export const backward = ({ x }, _, { y: dy }) => ({ x: map(x, (value, i) => (value <= 0 ? 0 : dy.data[i])) })
