import { binaryFunctions } from './binary.js'
import { bitwiseAnd, bitwiseNot, bitwiseOr, bitwiseXor } from './bitwise.js'
import { clone, detach } from './copy.js'
import { allclose, comparisons, equal, isfinite, isinf, isnan, logicalNot } from './compare.js'
import { to } from './convert.js'
import { composedFunctions } from './composed.js'
import { binaryCrossEntropy, binaryCrossEntropyWithLogits, huberLoss, klDiv, l1Loss, mseLoss, smoothL1Loss } from './losses.js'
import { dot, matmul, outer } from './matmul.js'
import { nllLoss } from './nll_loss.js'
import { cosineSimilarity, normalize } from './normalize.js'
import { reductions } from './reduce.js'
import { rmsNorm } from './rms_norm.js'
import { unaryFunctions } from './unary.js'

/** Functions that are also in torch and methods of tensors. */
export const elements = {
  ...unaryFunctions, ...composedFunctions, ...binaryFunctions, ...comparisons, ...reductions, allclose, bitwiseAnd,
  bitwiseNot, bitwiseOr, bitwiseXor, dot, equal, isfinite, isinf, isnan, logicalNot,
  matmul, outer
}

/** The arithmetic of gf.functional. */
export const functions = {
  ...elements, binaryCrossEntropy, binaryCrossEntropyWithLogits, cosineSimilarity, huberLoss, klDiv, l1Loss, mseLoss,
  nllLoss, normalize, rmsNorm, smoothL1Loss
}

/** Methods of tensors. */
export const methods = { ...elements, clone, detach, to }
