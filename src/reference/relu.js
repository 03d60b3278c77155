// y = max(x, 0). The derivative at 0 is 0; NaN propagates.
/** @import { TensorLike, Tensor } from './tensor.js' */

import { map } from './tensor.js'

/** @type {(inputs: { x: TensorLike }, params?: object) => { y: Tensor }} */
export const forward = ({ x }) => ({ y: map(x, value => (value <= 0 ? 0 : value)) })

/** @param {{ x: TensorLike }} inputs @param {object} _ @param {{ y: TensorLike }} outputs */
export const backward = ({ x }, _, { y: dy }) => ({ x: map(x, (value, i) => (value <= 0 ? 0 : dy.data[i])) })
