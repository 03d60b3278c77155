export { GELU, ReLU, SiLU, Sigmoid, Tanh } from './activation.js'
export { Conv1d, Conv2d } from './conv.js'
export { Identity, ModuleDict, ModuleList, Sequential } from './containers.js'
export { Dropout } from './dropout.js'
export { Embedding } from './embedding.js'
export {
  BCELoss, BCEWithLogitsLoss, CosineSimilarity, CrossEntropyLoss, ELU, Flatten, Fold, GLU, HuberLoss, KLDivLoss, L1Loss,
  LeakyReLU, LogSoftmax, MSELoss, NLLLoss, SmoothL1Loss, Softmax, Softplus, Unflatten, Unfold
} from './functions.js'
export { LayerNorm } from './layer_norm.js'
export { Linear } from './linear.js'
export { Module } from './module.js'
export { MultiheadAttention } from './multihead_attention.js'
export { Parameter } from './parameter.js'
export { ParameterDict, ParameterList } from './parameter_containers.js'
export { LearnedPositionalEncoding, PositionalEncoding } from './positional_encoding.js'
export { RMSNorm } from './rms_norm.js'
export {
  Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer
} from './transformer.js'
