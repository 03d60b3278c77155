// Places that a test once did not see, each with a fault that somebody could make there: `sources.js --known` puts them
// in, one at a time. A hole that is found goes here together with the test that closes it.

const C = 'src/c/ops/', OPTIM = 'src/js/optim/', OPS = 'src/js/ops/', NN = 'src/js/nn/'

/** @type {[file: string, from: string, to: string][]} */
export const KNOWN = [
  [`${C}dropout.c`, 'dx[i] += dout[i]', 'dx[i] = dout[i]'],
  ['src/c/optim/adam.c', 'gf_load_tail(grad + i, left, 0)', 'gf_splat(0.0f)'],
  ['src/c/optim/adam.c', 'gf_load_tail(v + i, left, 0)', 'gf_splat(0.0f)'],
  ['src/c/optim/adam.c', 'gf_store_tail(m + i, mean, left), gf_store_tail(v', 'gf_store_tail(v'],
  ['src/c/optim/sgd.c', 'first ? g : momentum', '0 ? g : momentum'],
  ['src/c/optim/sgd.c', '(1.0f - dampening) * g', 'g'],
  ['src/c/optim/sgd.c', 'nesterov ? g + momentum', 'nesterov ? momentum'],
  ['src/c/math.c', 'if (x > 709.8)', 'if (x > 700.0)'],
  ['src/c/math.c', 'if (x < -745.2) return 0.0', 'if (x < -700.0) return 0.0'],
  ['src/c/math.c', 'power_of_two(half) * power_of_two(whole - half)', 'power_of_two(whole)'],
  [`${OPS}transpose.js`, 'axis < 0 ? axis + rank : axis', 'axis < 0 ? -axis : axis'],
  [`${OPS}log_softmax.js`, 'row[i].value - most - Math.log(total)', 'row[i].value - Math.log(total)'],
  [`${OPS}log_softmax.js`, "constant('−1', -1), y, d", "constant('−1', 1), y, d"],
  [`${OPS}gelu.js`, '(1 + innerTanh(x)) / 2', '(1 - innerTanh(x)) / 2'],
  [`${OPS}gelu.js`, '(1 + 3 * 0.044715 * x * x)', '(1 + 0.044715 * x * x)'],
  [`${OPS}matmul.js`, "cell(b, [...leadOf(b, lead), k, j], 'b')", "cell(b, [...lead.map(() => 0), k, j].slice(-b.shape.length), 'b')"],
  [`${OPS}matmul.js`, "cell(b, [...leadOf(b, lead), q, j], 'b')", "cell(b, [...lead.map(() => 0), q, j].slice(-b.shape.length), 'b')"],
  [`${OPS}positional_encoding.js`, "if (method !== 'log-float32')", 'if (method)'],
  [`${OPS}binary.js`, 'sameEngine(name, isNumber ? null : left, isOther ? null : right)', ''],
  [`${OPS}embedding.js`, 'paddingIdx, -V, V - 1)', 'paddingIdx, -V, V - 2)'],
  [`${OPS}embedding.js`, 'paddingIdx, -V, V - 1)', 'paddingIdx, -V, V)'],
  [`${NN}embedding.js`, 'numEmbeddings - 1)', 'numEmbeddings - 2)'],
  [`${NN}embedding.js`, 'paddingIdx < 0 ? paddingIdx + numEmbeddings', 'paddingIdx < 0 ? -paddingIdx'],
  [`${OPTIM}sgd.js`, 'lr = 1e-3', 'lr = 1e-2'],
  [`${OPTIM}sgd.js`, "'a number >= 0', v => v >= 0", "'a number >= 0', v => v > 0"],
  [`${OPTIM}adam.js`, 'lr = 1e-3', 'lr = 1e-2'],
  [`${OPTIM}adam.js`, 'eps = 1e-8', 'eps = 1e-6'],
  [`${NN}layer_norm.js`, 'eps = 1e-5', 'eps = 1e-6'],
  [`${OPS}layer_norm.js`, 'eps = 1e-5', 'eps = 1e-6'],
  ['src/js/random.js', 'expect(high > low,', 'expect(high >= low,'],
  ['src/js/random.js', "'a whole number below 2^53', Number.isSafeInteger", "'a whole number below 2^53', Number.isFinite"],
  [`${OPTIM}noam.js`, "wholeNumber('noam', 'dModel', dModel, 1)", ''],
  [`${OPTIM}noam.js`, "wholeNumber('noam', 'warmup', warmup, 1)", ''],
  [`${OPTIM}noam.js`, "numberWhere('noam', 'factor', factor, 'a number > 0', v => v > 0)", ''],
  [`${OPTIM}noam.js`, "wholeNumber('noam', 'step', step, 1)", 'step'],
  ['src/js/tensor.js', 'this.#grad?.dispose()', ''],
  ['src/c/text/spans.c', 'count < room;', 'count <= room;'],
  ['src/c/ops/trunc_normal.c', 'y >= 1.0', 'y > 1.0'],
  ['src/js/text/bpe_model.js', 'ids.includes(-1)', 'ids.includes(-2)'],
  [`${OPS}broadcast.js`, 'axes.push({ side: 1,', 'axes.push({ side: 2,']
]
