/**
 * PyTorch's signatures: the names of parameters in PyTorch's order, in camelCase. Arguments may be given in this order,
 * by name in one object at the end, or both. The table drives the reading of arguments (arguments.js), the types
 * (argument_types.d.ts), the messages and the reference; a test compares it with PyTorch's own signatures.
 *
 * Parameters before the bar are arguments of the function here, those after it properties of its last argument. Those
 * after a star have no position. A question mark marks what may be left out; a minus what PyTorch has and this library
 * has not; a tilde what is accepted and changes nothing; an ampersand what is a property of the last argument although
 * it stands before the bar; a plus what PyTorch does not have; an equals sign what may be a plain object. Functions of
 * any number of arguments ('...') and those that take objects of values ('=') read their arguments themselves.
 */

const REDUCE = 'input | dim? keepdim?', SPREAD = 'input | dim? unbiased? keepdim? * correction?'
const ONE = 'input', PAIR = 'input other', LOSS = 'input target | -sizeAverage? -reduce? reduction?'
const CREATE = '* dtype? requiresGrad?'
const CONV = 'input weight bias? | stride? padding? dilation? groups?', WINDOWS = 'dilation? padding? stride?'

/** Functions of torch and torch.nn.functional; methods of tensors are those with the tensor as first argument. */
export const FUNCTIONS = /** @type {const} */ ({
  neg: ONE, abs: ONE, sign: ONE, floor: ONE, round: ONE, square: ONE, sqrt: ONE, rsqrt: ONE, reciprocal: ONE, exp: ONE,
  log: ONE, sin: ONE, cos: ONE, tanh: ONE, sigmoid: ONE, isnan: ONE, isinf: ONE, logicalNot: ONE, nonzero: ONE,
  ceil: ONE, trunc: ONE, erf: ONE, log1p: ONE, expm1: ONE, isfinite: ONE, bitwiseNot: ONE, clone: ONE, detach: ONE, relu: 'input -inplace?', silu: 'input -inplace?', softplus: 'input | beta? threshold?',
  leakyRelu: 'input | negativeSlope? -inplace?', clamp: 'input | min? max?', gelu: 'input | * approximate?',
  elu: 'input | alpha? -inplace?', glu: 'input | dim?',
  add: `${PAIR} | * -alpha?`, sub: `${PAIR} | * -alpha?`, mul: PAIR, div: PAIR, maximum: PAIR, minimum: PAIR, pow: 'input exponent',
  eq: PAIR, ne: PAIR, lt: PAIR, le: PAIR, gt: PAIR, ge: PAIR, logicalAnd: PAIR, logicalOr: PAIR, logicalXor: PAIR,
  bitwiseAnd: PAIR, bitwiseOr: PAIR, bitwiseXor: PAIR, lerp: 'input end weight',
  equal: PAIR, matmul: PAIR, dot: PAIR, outer: 'input vec2', allclose: 'input other | rtol? atol? equalNan?',
  sum: REDUCE, mean: REDUCE, prod: REDUCE, logsumexp: REDUCE, max: REDUCE, min: REDUCE, amax: REDUCE, amin: REDUCE,
  all: REDUCE, any: REDUCE, argmax: REDUCE, argmin: REDUCE, var: SPREAD, std: SPREAD, norm: 'input | p? dim? keepdim?',
  softmax: 'input | dim?', logSoftmax: 'input | dim?', normalize: 'input | p? dim? eps?',
  dropout: 'input | p? training? -inplace?', linear: 'input weight bias?',
  layerNorm: 'input &normalizedShape weight? bias? | eps?', rmsNorm: 'input ~normalizedShape weight? | eps?',
  embedding: 'input weight | paddingIdx? -maxNorm? -normType? -scaleGradByFreq? -sparse?',
  scaledDotProductAttention: 'query key value | attnMask? dropoutP? isCausal? * scale? enableGqa? +keyPaddingMask? +window?',
  crossEntropy: 'input target | weight? -sizeAverage? ignoreIndex? -reduce? reduction? labelSmoothing?',
  nllLoss: 'input target | weight? -sizeAverage? ignoreIndex? -reduce? reduction?', mseLoss: LOSS, l1Loss: LOSS,
  smoothL1Loss: `${LOSS} beta?`, huberLoss: 'input target | reduction? delta?',
  binaryCrossEntropy: 'input target | weight? -sizeAverage? -reduce? reduction?',
  binaryCrossEntropyWithLogits: 'input target | weight? -sizeAverage? -reduce? reduction? posWeight?',
  klDiv: 'input target | -sizeAverage? -reduce? reduction? logTarget?', cosineSimilarity: 'x1 x2 | dim? eps?',
  conv1d: CONV, conv2d: CONV, unfold: `input kernelSize | ${WINDOWS}`, fold: `input outputSize kernelSize | ${WINDOWS}`,
  pad: 'input pad | mode? value?', meshgrid: 'tensors | * indexing?',
  cat: 'tensors | dim?', stack: 'tensors | dim?', split: 'tensor splitSize | dim?', chunk: 'input chunks | dim?',
  oneHot: 'tensor | numClasses?', where: 'condition input other', reshape: 'input shape', transpose: 'input dim0 dim1',
  narrow: 'input dim start length', select: 'input dim index', slice: '+input +dim +start +end? +step?',
  repeatInterleave: 'input repeats | dim?', roll: 'input shifts dims?', unsqueeze: 'input dim', squeeze: 'input dim?',
  flatten: 'input startDim? endDim?', unflatten: 'input dim sizes', indexSelect: 'input dim index',
  gather: 'input dim index', scatter: 'input dim index src', scatterAdd: 'input dim index src',
  maskedSelect: 'input mask', maskedFill: 'input mask value', tril: 'input diagonal?', triu: 'input diagonal?',
  diag: 'input diagonal?', diagonal: 'input offset? dim1? dim2?', unbind: 'input dim?', swapaxes: 'input axis0 axis1',
  movedim: 'input source destination', indexAdd: 'input dim index source | * alpha?', indexCopy: 'input dim index source',
  indexFill: 'input dim index value', median: 'input | dim? keepdim?', bincount: 'input | weights? minlength?',
  unique: 'input | sorted? returnInverse? returnCounts?', cumsum: 'input dim', cumprod: 'input dim', sort: 'input | dim? descending?', argsort: 'input | dim? descending?',
  topk: 'input k | dim? largest? sorted?', to: 'input dtype ~nonBlocking? -copy?', requiresGrad_: 'input requiresGrad?',
  index: '... input subscripts', indexPut_: 'input indices values | accumulate?',
  einsum: '... equation operands', expand: '... input sizes', flip: '... input dims', permute: '... input dims',
  repeat: '... input sizes', tile: '... input dims', arange: '... start end step',
  // creation and random numbers
  full: `size fillValue | ${CREATE}`, zeros: `size | ${CREATE}`, ones: `size | ${CREATE}`, rand: `size | ${CREATE} generator?`,
  randn: 'size | * requiresGrad? generator?', zerosLike: `input | ${CREATE}`, onesLike: `input | ${CREATE}`,
  empty: `size | ${CREATE}`, emptyLike: `input | ${CREATE}`, fullLike: `input fillValue | ${CREATE}`, randLike: `input | ${CREATE}`,
  randnLike: 'input | * requiresGrad?', trilIndices: 'row col offset?', triuIndices: 'row col offset?',
  eye: `n m? | ${CREATE}`, linspace: `start end steps | ${CREATE}`, randint: 'low high size | * generator? dtype?',
  normal: '= mean? std? size? +options?',
  multinomial: 'input numSamples | replacement? * generator?',
  bernoulli: 'input | * generator?', randperm: 'n | * generator?', manualSeed: 'seed', getRngState: '', setRngState: '= newState',
  grad: 'outputs inputs | gradOutputs? retainGraph? -createGraph? ~onlyInputs? allowUnused? -isGradsBatched?', saveCheckpoint: '= parts', loadCheckpoint: '= bytes targets?'
})

/** Methods of tensors that are no functions, or whose functions have other parameters. */
export const METHODS = /** @type {const} */ ({
  abs_: ONE, ceil_: ONE, exp_: ONE, floor_: ONE, log_: ONE, neg_: ONE, reciprocal_: ONE, relu_: ONE, round_: ONE,
  rsqrt_: ONE, sigmoid_: ONE, sign_: ONE, sqrt_: ONE, square_: ONE, tanh_: ONE, trunc_: ONE, zero_: ONE, add_: `${PAIR} | * alpha?`,
  sub_: `${PAIR} | * alpha?`, mul_: PAIR, div_: PAIR, pow_: 'input exponent', clamp_: 'input | min? max?', lerp_: 'input end weight',
  maskedFill_: 'input mask value', scatter_: 'input dim index src', scatterAdd_: 'input dim index src',
  indexAdd_: 'input dim index source | * alpha?', indexCopy_: 'input dim index source', indexFill_: 'input dim index value',
  tril_: 'input diagonal?', triu_: 'input diagonal?', copy_: 'input src ~nonBlocking?', fill_: 'input value',
  normal_: 'input mean? std? | * -generator?', uniform_: 'input from? to? | * -generator?', expandAs: PAIR, viewAs: PAIR,
  reshapeAs: PAIR, typeAs: PAIR, unfold: 'input dimension size step', view: '... input size',
  backward: 'input gradient? | retainGraph? -createGraph? -inputs?'
})

const PLAIN = '', IN_PLACE = '-inplace?', OLD_LOSS = '-sizeAverage? -reduce? reduction?'
const SIZES = 'dModel? nhead? numEncoderLayers? numDecoderLayers? dimFeedforward? dropout? activation?'
const DECODER_MASKS = 'tgtMask? memoryMask? tgtKeyPaddingMask? memoryKeyPaddingMask? tgtIsCausal? memoryIsCausal?'
const PADDING_MASKS = 'srcKeyPaddingMask? tgtKeyPaddingMask? memoryKeyPaddingMask?'
const LAYER = 'dModel nhead | dimFeedforward? dropout? activation? layerNormEps? batchFirst? normFirst? bias?'
const CONV_LAYER = 'inChannels outChannels kernelSize | stride? padding? dilation? groups? bias? paddingMode? -device? -dtype?'

/** Constructors of torch.nn's modules. */
export const MODULES = /** @type {const} */ ({
  Module: '... args', Identity: '... args', Sequential: '... modules', ModuleList: '= modules?', ModuleDict: '= modules?',
  Linear: 'inFeatures outFeatures | bias? -device? -dtype?', Flatten: 'startDim? endDim?', Dropout: 'p? -inplace?',
  Embedding: 'numEmbeddings embeddingDim | paddingIdx? -maxNorm? -normType? -scaleGradByFreq? -sparse?',
  LayerNorm: 'normalizedShape | eps? elementwiseAffine? bias? -device? -dtype?',
  RMSNorm: 'normalizedShape | eps? elementwiseAffine? -device? -dtype?',
  ReLU: IN_PLACE, SiLU: IN_PLACE, Tanh: PLAIN, Sigmoid: PLAIN, GELU: '| approximate?', Softmax: '| dim?', LogSoftmax: '| dim?',
  ELU: '| alpha? -inplace?', GLU: '| dim?', LeakyReLU: '| negativeSlope? -inplace?', Softplus: '| beta? threshold?', CosineSimilarity: '| dim? eps?',
  CrossEntropyLoss: '| weight? -sizeAverage? ignoreIndex? -reduce? reduction? labelSmoothing?',
  NLLLoss: '| weight? -sizeAverage? ignoreIndex? -reduce? reduction?', MSELoss: `| ${OLD_LOSS}`, L1Loss: `| ${OLD_LOSS}`,
  BCELoss: `| weight? ${OLD_LOSS}`, BCEWithLogitsLoss: `| weight? ${OLD_LOSS} posWeight?`, KLDivLoss: `| ${OLD_LOSS} logTarget?`,
  SmoothL1Loss: `| ${OLD_LOSS} beta?`, HuberLoss: '| reduction? delta?', Conv1d: CONV_LAYER, Conv2d: CONV_LAYER,
  Unfold: `kernelSize | ${WINDOWS}`, Fold: `outputSize kernelSize | ${WINDOWS}`, Unflatten: 'dim unflattenedSize',
  ParameterList: '= values?', ParameterDict: '= parameters?',
  MultiheadAttention: 'embedDim numHeads | dropout? bias? -addBiasKv? -addZeroAttn? kdim? vdim? batchFirst?',
  TransformerEncoderLayer: LAYER, TransformerDecoderLayer: LAYER,
  TransformerEncoder: 'encoderLayer numLayers | norm? ~enableNestedTensor? ~maskCheck?',
  TransformerDecoder: 'decoderLayer numLayers | norm?',
  Transformer: `| ${SIZES} -customEncoder? -customDecoder? layerNormEps? batchFirst? normFirst? bias?`,
  PositionalEncoding: '+dModel +dropout? +maxLength? | * +base? +layout? +method?',
  LearnedPositionalEncoding: '+maxLength +dModel'
})

/** Forwards of torch.nn's modules; those that are not here take tensors only. */
export const FORWARDS = /** @type {const} */ ({
  MultiheadAttention: 'query key? value? | keyPaddingMask? needWeights? attnMask? averageAttnWeights? isCausal? * +window? +cache?',
  TransformerEncoderLayer: 'src | srcMask? srcKeyPaddingMask? isCausal? * +cache?',
  TransformerDecoderLayer: `tgt memory | ${DECODER_MASKS} * +cache?`,
  TransformerEncoder: 'src | mask? srcKeyPaddingMask? isCausal? * +cache?',
  TransformerDecoder: `tgt memory | ${DECODER_MASKS} * +cache?`,
  Transformer: `src tgt | srcMask? tgtMask? memoryMask? ${PADDING_MASKS} srcIsCausal? tgtIsCausal? memoryIsCausal? * +cache?`
})

/** torch.nn.init. */
export const INIT = /** @type {const} */ ({
  uniform_: 'tensor | a? b?', normal_: 'tensor | mean? std?', truncNormal_: 'tensor | mean? std? a? b?', constant_: 'tensor val',
  zeros_: 'tensor', ones_: 'tensor', eye_: 'tensor', xavierUniform_: 'tensor | gain?', xavierNormal_: 'tensor | gain?',
  orthogonal_: 'tensor | gain?',
  kaimingUniform_: 'tensor | a? mode? nonlinearity?', kaimingNormal_: 'tensor | a? mode? nonlinearity?',
  calculateGain: 'nonlinearity param?'
})

const CYCLE = 'totalSteps? epochs? stepsPerEpoch? pctStart? annealStrategy? cycleMomentum? baseMomentum?'
const ADAM = 'params | lr? betas? eps? weightDecay? amsgrad? * maximize?'
const PLATEAU = 'mode? factor? patience? threshold? thresholdMode? cooldown? minLr? eps?'

/** torch.optim with its schedulers, and torch.nn.utils' clipping. */
export const OPTIMIZERS = /** @type {const} */ ({
  Adam: ADAM, AdamW: ADAM, SGD: 'params | lr? momentum? dampening? weightDecay? nesterov? * maximize?',
  StepLR: 'optimizer stepSize | gamma?', CosineAnnealingLR: 'optimizer tMax | etaMin?', LambdaLR: 'optimizer lrLambda',
  LinearLR: 'optimizer | startFactor? endFactor? totalIters?', MultiStepLR: 'optimizer milestones | gamma?',
  ExponentialLR: 'optimizer gamma', ReduceLROnPlateau: `optimizer | ${PLATEAU}`, SequentialLR: 'optimizer schedulers milestones',
  OneCycleLR: `optimizer maxLr | ${CYCLE} maxMomentum? divFactor? finalDivFactor? threePhase?`,
  clipGradNorm: 'parameters maxNorm | normType?', clipGradValue: 'parameters clipValue'
})

const LOADER = 'batchSize? shuffle? sampler? batchSampler? -numWorkers? collateFn? -pinMemory? dropLast? -timeout? -workerInitFn?'

/** torch.utils.data, torch.nn.utils.rnn.pad_sequence and torch.Generator. */
export const DATA = /** @type {const} */ ({
  DataLoader: `=dataset | ${LOADER} -multiprocessingContext? generator? * -prefetchFactor? -persistentWorkers? +collate?`,
  Dataset: '... args', TensorDataset: '... tensors', Subset: '=dataset indices', defaultCollate: 'batch',
  padSequence: 'sequences | batchFirst? paddingValue? +paddingSide?', randomSplit: '=dataset lengths | generator?',
  Generator: '-device?'
})
