import { createRowNorm } from './row_norm.js'

export const { forward, backward, forwardBound, backwardBound } = createRowNorm(true, 1e-5)
