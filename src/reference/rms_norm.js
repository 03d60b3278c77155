import { createRowNorm } from './row_norm.js'

/** PyTorch's default eps is the spacing of float32 at 1. */
export const { forward, backward, forwardBound, backwardBound } = createRowNorm(false, 2 ** -23)
