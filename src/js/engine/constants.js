/** Constants of glassformer.h and blocks.h under their names there, without GF_. tests/header.test.js compares them. */

export const NO_MEMORY = -1

export const TEXT_START = 1, TEXT_END = 2, TEXT_DROP_PUNCTUATION = 4
export const TEXT_DONE = 0, TEXT_NEEDS_TEXT = 1
export const TOKEN_OPENING_QUOTE = -1
export const TOKEN_SLOTS = 4096, TOKEN_SLOT_BYTES = 32

export const INTERLEAVED = 0, CONCATENATED = 1
export const POWER = 0, LOG = 1, LOG_FLOAT = 2

export const TRANSPOSE_A = 1, TRANSPOSE_B = 2, PANELS_B = 4, ACCUMULATE = 8, FLOAT16_B = 16, BFLOAT16_B = 32

export const CACHE_VALUES = 1, CACHE_READ = 2
export const FLOAT32 = 0, INT32 = 1, FLOAT64 = 2, BOOL = 3, FLOAT16 = 4, BFLOAT16 = 5, INT8 = 6
export const Q8_0 = 16, Q4_0 = 17, Q4_1 = 18, Q5_0 = 19, Q5_1 = 20, Q4_K = 21, Q5_K = 22, Q6_K = 23
export const EQ = 0, NE = 1, LT = 2, LE = 3, GT = 4, GE = 5, AND = 6, OR = 7, XOR = 8
export const INT_ADD = 0, INT_SUB = 1, INT_MUL = 2, INT_POW = 3, INT_MAXIMUM = 4, INT_MINIMUM = 5
export const INT_AND = 6
export const SUM = 0, MEAN = 1, MAX = 2, MIN = 3, PROD = 4, VAR = 5, STD = 6, LOGSUMEXP = 7, NORM = 8
export const TIES_TO_FIRST = 0, TIES_SHARED = 1, TIES_SHARED_WITH_NANS = 2
export const CLASSES = 262144
export const UNIGRAM_SINGLE = 1, UNIGRAM_FUSE = 2, UNIGRAM_SPLIT = 4

export const GATHER = 0, SCATTER = 1, SCATTER_ADD = 2
