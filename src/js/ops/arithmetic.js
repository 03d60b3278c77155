import { binaryFunctions } from './binary.js'
import { isinf, isnan, logicalNot, questions } from './compare.js'
import { to } from './convert.js'
import { reductions } from './reduce.js'
import { unaryFunctions } from './unary.js'

/** The arithmetic of gf.functional. */
export const functions = {
  ...unaryFunctions, ...binaryFunctions, ...questions, ...reductions, isinf, isnan, logicalNot
}

/** What of it tensors have as methods. */
export const methods = { ...functions, to }
