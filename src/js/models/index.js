import { GlassformerError, describe, expect, expectBoolean, isPlain, guardPromise, expectOneOf, optionsOf } from '../errors.js'
import { foreignWeights } from '../files/foreign.js'
import { baseName, expectOwn, fileCalled, openModelFiles, readJson } from '../files/shards.js'
import { settle, sourceOf } from '../files/source.js'
import { readInto, readRowsInto } from '../files/values.js'
import { WEIGHTS } from '../dtype.js'
import { settleWeight } from '../nn/quantize.js'
import { convertInto } from '../ops/convert.js'
import { nextTask } from '../next_task.js'
import { bert } from './bert.js'
import { generationOf, withGeneration } from './generation.js'
import { gpt2 } from './gpt2.js'
import { expectFewLayers } from './config.js'
import { llama } from './llama.js'
import { openLlama2c } from './llama2c.js'
import { marian } from './marian.js'
import { metaEngine } from './meta.js'
import { byPlainKey, countAll, countBytes, listText, planReads } from './plan.js'
import { t5 } from './t5.js'
import { OF_TOKENIZERS, readTokenizer } from './tokenizer_files.js'
import { HEAD, isCopy } from './tied.js'
import { sortUnused, unusedProblems } from './unused.js'

export { save } from './save.js'

/**
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {import('./model.js').LanguageModel} LanguageModel
 * @typedef {import('./config.js').Config} Config
 * @typedef {import('./gpt2.js').GPT2 | import('./bert.js').Bert | import('./marian.js').Marian |
 *   import('./t5.js').T5 | import('./llama.js').Llama} AnyModel
 * @typedef {string | Uint8Array | ArrayBuffer | import('../platform.d.ts').Lazy} File
 * @typedef {Record<string, File>} Files by name, as they lie in a model's folder
 */

/**
 * A class of models: how its files are to be understood.
 * @template [S=any]
 * @typedef {object} Kind
 * @property {string} type model_type of config.json
 * @property {readonly string[]} prefixes that its keys may have
 * @property {{ keys: readonly string[], isTied: boolean }} [table] what the word table may be called that
 *   lm_head.weight may be a copy of, and whether it is one where config.json says nothing
 * @property {readonly RegExp[]} skipped keys that hold nothing of use
 * @property {(config: Config, shapeOf: (key: string) => readonly number[] | undefined) => S} settings
 * @property {new (engine: Engine, settings: S) => LanguageModel} Model
 * @property {(settings: S) => import('./plan.js').Row[]} rows
 * @property {(settings: S) => Written<S>} written how Hugging Face's own class writes it
 * @property {(files: Record<string, string | Uint8Array>) => boolean} [isTokenizer] whether these make its tokenizer
 */

/**
 * @template [S=any]
 * @typedef {object} Written
 * @property {S} settings by which rows are written
 * @property {Config} config what its config.json has to say; undefined for what it must not
 * @property {(key: string) => string} keyOf a row's key, with what stands before it
 *
 * @typedef {NonNullable<LoadOptions['dtype']>} Dtype
 * @typedef {{ kind: Kind, settings: any, config: Config, generation?: Config }} Origin generation: what
 *   generation_config.json holds
 */

/**
 * What there is to know of a model's files before any number is read.
 * @typedef {object} Inspection
 * @property {string | null} type
 * @property {number} parameters
 * @property {number} bytes that its parameters take in memory, stored as the dtype that was asked for
 * @property {string[]} missing keys that the model needs
 * @property {string[]} unused keys that it has no place for
 * @property {string[]} problems everything else that stands in the way
 *
 * @typedef {Inspection & { config: Config, kind?: Kind, settings?: any, reads: import('./plan.js').Read[],
 *   generation?: Config, answers?: ReturnType<typeof generationOf>, error?: GlassformerError }} Opened
 */

const KINDS = [gpt2, bert, marian, t5, llama]
/** Weights in formats that are not read, and what to do about them. @type {[RegExp, string][]} */
const OF_OTHERS = [
  [/^pytorch_model.*\.bin$|\.(pt|pth|ckpt)$/, 'is a program in Python, not data; save the model as safetensors'],
  [/\.gguf$/, 'is packed for llama.cpp; choose the safetensors that it was made of'],
  [/\.(h5|msgpack|ot|onnx|tflite|npz)$/, 'is of another framework; choose model.safetensors']
]
const DTYPES = /** @type {Dtype[]} */ (WEIGHTS)
/** What 32 bits can address, less some room to compute in. */
const MOST_BYTES = 3.5 * 2 ** 30

/**
 * Runs what may throw; an error of the library's own becomes a problem.
 * @param {Opened} found @param {() => Generator<any, void, any>} steps
 * @returns {Generator<any, void, any>}
 */
function* noting(found, steps) {
  try {
    yield* steps()
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error
    found.problems.push(error.message)
    found.error = error
  }
}

/**
 * The model that a configuration promises, without values.
 * @param {Kind} kind @param {any} settings @param {import('../dtype.js').DType} dtype of its matrices
 */
function promised({ Model }, settings, dtype) {
  const engine = metaEngine()
  try {
    return engine.withoutInitialization(() => new Model(engine, settings), dtype)
  } catch (error) {
    const isLarge = error instanceof GlassformerError && error.code === 'memory'
    throw isLarge ? new GlassformerError('memory', 'config.json: its sizes make a tensor of more than 4 GB, and 32 bits ' +
      'address no more; if the weights are smaller, it belongs to another model') : error
  }
}

/**
 * Whether the file has a head that is tied to the word table and the same.
 * @param {Kind} kind @param {Config} config @param {ReadonlyMap<string, { entry: Entry }>} named
 * @param {boolean} isLoading false compares the beginning
 * @returns {Generator<any, boolean, any>}
 */
function* repeatsTable({ table }, config, named, isLoading) {
  const head = named.get(HEAD)
  if (!head || !table || !(config.tie_word_embeddings ?? table.isTied)) return false
  const words = table.keys.map(key => named.get(key)).find(Boolean)
  // Where the table has no name of its own, it goes by that of the head.
  return words === undefined || (yield* isCopy(head.entry, words.entry, isLoading))
}

/** @param {Config} config */
function kindOf(config) {
  const kind = KINDS.find(one => one.type === config.model_type)
  expect(kind !== undefined, 'format', () => 'config.json: model_type must be one of ' +
    `${KINDS.map(one => one.type).join(', ')}, got ${describe(config.model_type)}`)
  return kind
}

/**
 * Whether it may be weights in a format of their own: a .bin that is no tokenizer and not PyTorch's.
 * @param {string} name
 */
const isWeightsOfOwn = name => name.endsWith('.bin') &&
  ![OF_TOKENIZERS, OF_OTHERS[0][0]].some(pattern => pattern.test(name))

/**
 * The configuration of a model's files and where its tensors are.
 * @param {Files} files
 * @returns {Generator<any, { config: Config, entries: () => Generator<any, Map<string, Entry>, any> }, any>}
 */
function* readConfig(files) {
  const config = yield* readJson('models', files, 'config.json')
  const single = Object.keys(files).find(path => (
    isWeightsOfOwn(baseName(path))))
  if (!config && single !== undefined) {
    const source = yield* sourceOf('models', single, files[single])
    yield* expectOwn('models', single, source, foreignWeights)
    const opened = yield* openLlama2c(source)
    return { config: opened.config, entries: function* () { return opened.entries } }
  }
  expect(config !== undefined, 'format',
    () => `models: config.json is missing among ${listText(Object.keys(files).map(baseName))}` +
      (fileCalled(files, 'adapter_config.json') ? '; these are the files of an adapter (LoRA), which is merged into the ' +
      'model that it was trained for first' : ''))
  return { config, entries: function* () { return (yield* openModelFiles('models', files)).entries } }
}

/**
 * Which dtype a model that is too large would fit in, for a message.
 * @param {LanguageModel} model @param {Dtype} dtype
 */
function smallerThan(model, dtype) {
  const fitting = DTYPES.find(other => countBytes(model, other) <= MOST_BYTES)
  return fitting ? `; stored as ${fitting}, not as ${dtype}, they take ${countBytes(model, fitting)}: ` +
    `models.load(files, { dtype: '${fitting}' })` : ''
}

/**
 * Everything about a model's files but its numbers.
 * @param {Files} files @param {{ dtype?: Dtype, ignoreHead?: boolean, isLoading?: boolean }} [options]
 * @returns {Generator<any, Opened, any>}
 */
function* open(files, { dtype = 'float32', ignoreHead = false, isLoading = false } = {}) {
  expect(isPlain(files) && Object.keys(files).length > 0, 'type', () => 'models: files must be an object of file ' +
    `contents by name, such as { 'config.json': text, 'model.safetensors': blob }, got ${isPlain(files)
      ? 'an empty object' : describe(files)}; no folder and no name of a hub is read here, so read each file first, with ` +
      'await readFile(path) or fetch')
  /** @type {Opened} */
  const found = { type: null, parameters: 0, bytes: 0, missing: [], unused: [], problems: [], config: {}, reads: [] }
  yield* noting(found, function* () {
    const { config, entries } = yield* readConfig(files)
    found.config = config
    found.type = String(found.config.model_type)
    const kind = found.kind = kindOf(found.config)
    expectFewLayers(config)
    const named = byPlainKey(yield* entries(), kind.prefixes, found.problems)
    const hasCopy = yield* repeatsTable(kind, config, named, isLoading)
    found.generation = yield* readJson('models', files, 'generation_config.json')
    const whole = withGeneration(config, found.generation ?? {})
    found.settings = kind.settings(whole, key => (key === HEAD && hasCopy ? undefined : named.get(key)?.entry.shape))
    found.answers = generationOf(whole, found.settings.answers ?? found.settings.words)
    const model = promised(kind, found.settings, dtype)
    const plan = planReads(named, kind.rows(found.settings), model.stateDict(), kind.skipped)
    found.parameters = countAll(model)
    found.bytes = countBytes(model, dtype)
    Object.assign(found, { reads: plan.reads, missing: plan.missing, unused: plan.unused.map(one => one.name) })
    if (found.bytes > MOST_BYTES) found.problems.push(`the model's ${found.parameters} parameters take ${found.bytes} ` +
      `bytes, and there are ${MOST_BYTES} at most${smallerThan(model, dtype)}`)
    found.problems.push(...plan.problems)
    const { inside, head } = unusedProblems(sortUnused(plan.unused, plan.used), config)
    if (inside) found.problems.push(inside)
    if (head && !ignoreHead) found.problems.push(head)
  })
  if (!found.parameters) for (const [path, content] of Object.entries(files)) {
    const name = baseName(path), other = OF_OTHERS.find(([pattern]) => pattern.test(name))
    if (other) found.problems.push(`${name} ${other[1]}`)
    else if (isWeightsOfOwn(name) && fileCalled(files, 'config.json')) yield* noting(found, function* () {
      yield* expectOwn('models', path, yield* sourceOf('models', path, content), foreignWeights)
    })
  }
  return found
}

/**
 * What a model's files hold, from their headers alone.
 * @param {Files} files
 * @param {Pick<LoadOptions, 'dtype' | 'ignoreHead'>} [options] those that it is to be loaded with
 * @returns {any} an Inspection, at once if all files are in memory, otherwise a promise of it
 */
export function inspect(files, options) {
  const given = optionsOf('models.inspect', options, ['dtype', 'ignoreHead'])
  const { dtype, ignoreHead } = checkOptions('models.inspect', given)
  return settle((function* () {
    const { type, parameters, bytes, missing, unused, problems } = yield* open(files, { dtype, ignoreHead })
    return { type, parameters, bytes, missing, unused, problems }
  })())
}

/**
 * Reads one tensor of a file to its place.
 * @param {Engine} engine @param {Tensor} to @param {import('./plan.js').Read} read
 * @returns {Generator<any, void, any>}
 */
function* readRow(engine, to, { name, entry, transposed, part }) {
  const [rows, ...rest] = to.shape, [i, n] = part ?? [0, 1], at = i * to.size / n, count = rows / n
  if (!transposed && to.dtype === 'int8') return yield* readRowsInto(to, i * count, entry, name)
  if (!transposed) return yield* readInto(to, at, entry, name)
  const [inputs] = rest, isStored = to.dtype !== 'float32', turned = engine.keep(engine.empty([inputs, count]))
  const straight = isStored ? engine.keep(engine.empty([count, inputs])) : to
  try {
    yield* readInto(turned, 0, entry, name)
    const { address } = straight
    engine.c.gf_transpose_forward(isStored ? address : address + 4 * at, turned.address, 1, inputs, 1, count, 1)
    if (isStored) convertInto(to, straight)
  } finally {
    turned.dispose()
    if (isStored) straight.dispose()
  }
}

/** @param {Opened} found */
function expectWhole({ kind, missing, problems, error }) {
  const all = [...problems]
  if (error && all.length === 1) throw error
  if (missing.length) all.push(`missing ${missing.length === 1 ? 'tensor' : 'tensors'} ${listText(missing)}`)
  expect(all.length === 0 && kind !== undefined, 'format', () => `models.load: ${listText(all)}`)
}

/**
 * @typedef {object} LoadOptions
 * @property {'float32' | 'float16' | 'bfloat16' | 'int8'} [dtype] 'float32'; another one for what the matrices are
 *   stored in: see quantize
 * @property {(progress: { done: number, total: number }) => void | Promise<void>} [onProgress] called as weights are
 *   read, with the bytes of the files that have been and that will be; of a promise the end is waited for
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal: then other tasks run between
 *   tensors
 * @property {boolean} [ignoreHead] false; true reads a model whose class has another head, such as one that tells
 *   classes apart, without that head: BertForSequenceClassification as the BERT that it is built on
 */

/**
 * The same reads, told of and stopped at every piece.
 * @param {import('./plan.js').Read[]} reads @param {LoadOptions} options
 */
function watched(reads, { onProgress, signal }) {
  const total = reads.reduce((sum, { entry: { from, to } }) => sum + to - from, 0)
  let done = 0
  /** @param {import('../files/source.js').Source} source */
  const watch = source => ({ ...source, read: (/** @type {number} */ from, /** @type {number} */ to) => {
    signal?.throwIfAborted()
    const told = onProgress?.({ done, total })
    done += to - from
    return told instanceof Promise ? told.then(() => source.read(from, to)) : source.read(from, to)
  } })
  return {
    reads: reads.map(read => ({ ...read, entry: { ...read.entry, source: watch(read.entry.source) } })),
    finish: () => onProgress?.({ done, total })
  }
}

/**
 * Those that a model's files are understood by.
 * @param {string} where @param {LoadOptions} options @returns {{ dtype: Dtype, ignoreHead: boolean }}
 */
function checkOptions(where, { dtype = 'float32', ignoreHead = false }) {
  return { dtype: expectOneOf(where, 'dtype', dtype, DTYPES), ignoreHead: expectBoolean(where, 'ignoreHead', ignoreHead) }
}

/**
 * @param {LoadOptions | undefined} options
 * @returns {LoadOptions & { dtype: Dtype, ignoreHead: boolean }}
 */
function loadOptions(options) {
  const given = optionsOf('models.load', options, ['dtype', 'onProgress', 'signal', 'ignoreHead'])
  const { onProgress, signal } = given, { dtype, ignoreHead } = checkOptions('models.load', given)
  expect(onProgress === undefined || typeof onProgress === 'function', 'type',
    () => `models.load: onProgress must be a function, got ${describe(onProgress)}`)
  expect(signal === undefined || typeof signal?.throwIfAborted === 'function', 'type',
    () => `models.load: signal must be an AbortSignal, got ${describe(signal)}`)
  return { dtype, onProgress, signal, ignoreHead }
}

/**
 * A model with the weights of its files, ready to be used: in eval mode.
 * @param {Engine} engine
 * @param {Files} files config.json, model.safetensors (or shards with their index), and those of the tokenizer;
 *   generation_config.json counts before config.json for the ids that end answers, are never answered (bad_words_ids
 *   of one token, suppress_tokens) or begin them
 * @param {LoadOptions} [options]
 * @returns {Promise<{ model: AnyModel, tokenizer: import('../text/tokenizer.js').Tokenizer | null,
 *   config: Record<string, any> }>} model: of the class that config.json names
 * @throws {GlassformerError} 'format' for files that do not fit each other or are not understood, 'memory'; the reason
 *   of the signal when that is aborted; nothing is kept then
 */
export const load = (engine, files, options) =>
  guardPromise(read(engine, files, options), ['model', 'tokenizer', 'config'],
    'const { model, tokenizer } = await gf.models.load(files)')

/** @param {Engine} engine @param {Files} files @param {LoadOptions} [options] */
async function read(engine, files, options) {
  const { dtype, ignoreHead, ...watching } = loadOptions(options)
  const found = await settle(open(files, { dtype, ignoreHead, isLoading: true }))
  expectWhole(found)
  const { kind, settings, config } = found, { reads, finish } = watched(found.reads, watching)
  const words = await settle(readTokenizer(engine, files, kind.isTokenizer))
  const model = engine.withoutInitialization(() => new kind.Model(engine, settings), dtype)
  Object.assign(model, found.answers)
  model.origin = { kind, settings, config, generation: found.generation }
  try {
    const own = model.stateDict()
    for (const read of reads) {
      if (watching.signal) await nextTask()
      await settle(readRow(engine, own[read.own], read))
    }
    await finish()
    if (dtype !== 'float32') for (const parameter of model.requiresGrad_(false).parameters()) {
      if (parameter.isMatrix) settleWeight(parameter)
    }
  } catch (error) {
    model.dispose()
    throw error
  }
  return { model: model.eval(), tokenizer: words, config }
}
