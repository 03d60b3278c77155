import { GlassformerError, describe, expect, expectBoolean, isPlain, guardPromise, expectOneOf, expectOptions } from '../errors.js'
import { detectNonWeights } from '../files/format.js'
import { baseName, checkFormat, findFile, openModelFiles, readJson } from '../files/shards.js'
import { settle, openSource } from '../files/source.js'
import { openRemoteFolder } from '../files/remote.js'
import { DTYPES as TENSOR_TYPES } from '../tensor/dtype.js'
import { loadBlockKernels } from '../engine/load_blocks.js'
import { STORED_TYPES, prepareWeight } from '../nn/quantize.js'
import { nextTask } from '../next_task.js'
import { isGguf } from '../files/gguf.js'
import { GGUF_IGNORED, openGguf } from './gguf.js'
import { readGenerationConfig, readGenerationDefaults, mergeGenerationConfig } from './generation_config.js'
import { checkLayerCount } from './config.js'
import { FAMILIES } from './families/index.js'
import { readHead, rowsOf } from './heads.js'
import { openLlama2c } from './llama2c.js'
import { metaEngine } from './meta.js'
import { readSentenceModules } from './sentence_modules.js'
import { indexByKey, countParameters, countBytes, findBlockTypes, findMainDtype, formatList, markPermuted, planReads } from './plan.js'
import { readParameter, withProgress } from './read_weights.js'
import { TOKENIZER_FILES, readTokenizer } from './tokenizer_files.js'
import { LM_HEAD, hasSameBytes } from './tied.js'
import { classifyUnused, describeUnused } from './unused.js'

export { addAdapter, loadAdapter, saveAdapter } from './adapter.js'
export { save } from './save.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../files/header.js').Entry} Entry
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./model.js').LanguageModel} LanguageModel
 * @typedef {import('./config.js').Config} Config
 * @typedef {import('./gpt2.js').GPT2 | import('./encoder.js').Encoder | import('./bart.js').BartModel |
 *   import('./t5.js').T5 | import('./t5.js').T5Encoder | import('./decoder.js').Decoder} AnyModel
 * @typedef {string | Uint8Array | ArrayBuffer | import('../platform.d.ts').Lazy} File
 * @typedef {import('../platform.d.ts').Address} Address a URL
 * @typedef {ReturnType<typeof openGguf> extends Generator<any, infer R, any> ? R : never} Gguf
 * @typedef {Record<string, File>} Files the files of a model's folder by name
 */

/**
 * A family of models: how its files are read and written.
 * @template [S=any]
 * @typedef {object} Family
 * @property {string} type model_type in config.json
 * @property {readonly string[]} prefixes possible prefixes of its keys
 * @property {{ keys: readonly string[], isTiedByDefault: boolean, headKey?: string }} [tokenEmbedding] possible keys
 *   of the token embedding that the head may be a copy of, whether it is tied by default, and the key of the head,
 *   lm_head.weight by default
 * @property {readonly RegExp[]} ignored keys that may be left unread
 * @property {(config: Config, shapeOf: (key: string) => readonly number[] | undefined) => S} readSettings
 * @property {new (engine: Engine, settings: S) => LanguageModel} Model
 * @property {(settings: S, state: Record<string, Tensor>) => import('./plan.js').Row[]} rows state: of the model
 * @property {(settings: S) => HuggingFaceForm<S>} toHuggingFace how Hugging Face's class writes it
 * @property {import('./heads.js').HeadForms | ((config: Config) => import('./heads.js').HeadForms)} [heads] its
 *   classification heads
 * @property {Family} [encoderOnly] an encoder-decoder's encoder alone, as in T5EncoderModel
 * @property {(files: Record<string, string | Uint8Array>) => boolean} [isTokenizer] whether these files make its
 *   tokenizer
 */

/**
 * @template [S=any]
 * @typedef {object} HuggingFaceForm
 * @property {S} settings for the rows that are written
 * @property {Config} config changes to config.json; undefined removes a setting
 * @property {(key: string) => string} toKey a row's key with its prefix
 *
 * @typedef {NonNullable<LoadOptions['dtype']>} Dtype
 * @typedef {{ family: Family, settings: any, config: Config, generation?: Config }} Origin generation: the
 *   content of generation_config.json
 */

/**
 * What is known about a model's files before their weights are read.
 * @typedef {object} Inspection
 * @property {string | null} type
 * @property {number} parameters
 * @property {number} bytes size of its parameters in memory, with the requested dtype
 * @property {string | null} dtype of most of the weights in the files
 * @property {string[]} missing required keys that the files do not have
 * @property {string[]} unused keys that the model does not have
 * @property {string[]} problems every other reason why load would fail
 *
 * @typedef {Inspection & { config: Config, family?: Family, settings?: any, reads: import('./plan.js').Read[],
 *   files: Files, pooling: import('./pooling.js').Pooling | null, gguf?: Gguf, generation?: Config,
 *   generationSettings?: ReturnType<typeof readGenerationConfig> & { generationDefaults: Record<string, number> },
 *   blockTypes: Map<string, import('../tensor/dtype.js').DType>, error?: GlassformerError }} Opened blockTypes: the
 *   dtypes of matrices if some are in GGUF's blocks, by key
 */

/** Names of files with weights in other formats, and a message that says what to do. @type {[RegExp, string][]} */
const UNSUPPORTED_FORMATS = [
  [/^pytorch_model.*\.bin$|\.(pt|pth|ckpt)$/, 'is a pickle, which may run code when it is read; in Python, write ' +
  'safetensors.torch.save_file(model.state_dict(), "model.safetensors")'],
  [/\.(h5|msgpack|ot|onnx|tflite|npz)$/, 'belongs to another framework; choose model.safetensors']
]
const DTYPES = /** @type {Dtype[]} */ (['float32', ...STORED_TYPES])
/** 4 GB of 32-bit addresses, less room for intermediate tensors. */
const MAX_BYTES = 3.5 * 2 ** 30

/**
 * Runs steps and turns a GlassformerError into a problem.
 * @param {Opened} found @param {() => Generator<any, void, any>} steps
 * @returns {Generator<any, void, any>}
 */
function* collectProblems(found, steps) {
  try {
    yield* steps()
  } catch (error) {
    if (!(error instanceof GlassformerError)) throw error
    const message = found.gguf?.rename(error.message) ?? error.message
    found.problems.push(message)
    found.error = message === error.message ? error : new GlassformerError(error.code, message)
  }
}

/**
 * The model of a configuration without values.
 * @param {Family} family @param {any} settings @param {import('../tensor/dtype.js').DType} dtype of its matrices
 */
function buildMetaModel({ Model }, settings, dtype) {
  const engine = metaEngine()
  try {
    return engine.withoutInitialization(() => new Model(engine, settings), dtype, Boolean(TENSOR_TYPES[dtype].block))
  } catch (error) {
    const isLarge = error instanceof GlassformerError && error.code === 'memory'
    throw isLarge ? new GlassformerError('memory', 'config.json: its sizes give a tensor of more than 4 GB, more than ' +
      '32 bits can address; if the weights are smaller, config.json belongs to another model') : error
  }
}

/**
 * Whether the head is tied to the token embedding and the file has a copy of it.
 * @param {Family} family @param {Config} config @param {ReadonlyMap<string, { entry: Entry }>} tensorsByKey
 * @param {boolean} isLoading false compares only the first bytes
 * @returns {Generator<any, boolean, any>}
 */
function* isHeadCopyOfEmbedding({ tokenEmbedding }, config, tensorsByKey, isLoading) {
  const head = tensorsByKey.get(tokenEmbedding?.headKey ?? LM_HEAD)
  if (!head || !tokenEmbedding || !(config.tie_word_embeddings ?? tokenEmbedding.isTiedByDefault)) return false
  const embedding = tokenEmbedding.keys.map(key => tensorsByKey.get(key)).find(Boolean)
  // Without a token embedding, the head is the only copy.
  return embedding === undefined || (yield* hasSameBytes(head.entry, embedding.entry, isLoading))
}

/** @param {Config} config */
function findFamily(config) {
  const family = FAMILIES.find(family => family.type === config.model_type)
  expect(family !== undefined, 'format', () => 'config.json: model_type must be one of ' +
    `${FAMILIES.map(family => family.type).join(', ')}, got ${describe(config.model_type)}`)
  const [architecture] = Array.isArray(config.architectures) ? config.architectures : []
  return /EncoderModel$/.test(String(architecture)) && family.encoderOnly || family
}

/**
 * Whether a file may have the weights of llama2.c: a .bin that is no tokenizer and not PyTorch's.
 * @param {string} name
 */
const mayBeLlama2cFile = name => name.endsWith('.bin') &&
  ![TOKENIZER_FILES, UNSUPPORTED_FORMATS[0][0]].some(pattern => pattern.test(name))

/** What files without config.json may be, and how they are read. @param {Files} files */
const describeOtherUse = files => (findFile(files, 'adapter_config.json')
  ? '; these are the files of an adapter (LoRA); load its base model, then write await gf.models.loadAdapter(model, files)'
  : Object.keys(files).some(path => path.endsWith('.safetensors'))
    ? '; weights of a class of your own are read by model.loadStateDict(gf.loadSafetensors(bytes).tensors)' : '')

/**
 * The configuration of a model's files and the positions of its tensors in them.
 * @param {Files} files
 * @returns {Generator<any,
 *   { config: Config, entries: () => Generator<any, Map<string, Entry>, any>, gguf?: Gguf }, any>}
 */
function* readConfig(files) {
  const ggufs = Object.keys(files).filter(path => /\.gguf$/i.test(path))
  if (ggufs.length && !Object.keys(files).some(path => path.endsWith('.safetensors'))) {
    expect(ggufs.length === 1, 'format', () => `models: one .gguf file is expected, got ${formatList(ggufs)}`)
    const source = yield* openSource('models', ggufs[0], files[ggufs[0]])
    if (!(yield* isGguf(source))) yield* checkFormat('models', ggufs[0], source)
    const gguf = yield* openGguf(source)
    return { config: gguf.config, entries: function* () { return gguf.entries }, gguf }
  }
  const config = yield* readJson('models', files, 'config.json')
  const single = Object.keys(files).find(path => mayBeLlama2cFile(baseName(path)))
  if (!config && single !== undefined) {
    const source = yield* openSource('models', single, files[single])
    yield* checkFormat('models', single, source, detectNonWeights)
    const opened = yield* openLlama2c(source)
    return { config: opened.config, entries: function* () { return opened.entries } }
  }
  expect(config !== undefined, 'format',
    () => `models: config.json is missing among ${formatList(Object.keys(files).map(baseName))}${describeOtherUse(files)}`)
  return { config, entries: function* () { return (yield* openModelFiles('models', files)).entries } }
}

/**
 * Suggests a dtype in which a model that is too large would fit.
 * @param {LanguageModel} model @param {Dtype} dtype
 */
function suggestDtype(model, dtype) {
  const fitting = DTYPES.find(other => countBytes(model, other) <= MAX_BYTES)
  return fitting ? `; stored as ${fitting} instead of ${dtype}, they take ${countBytes(model, fitting)}: ` +
    `models.load(files, { dtype: '${fitting}' })` : ''
}

/**
 * Reads everything about a model's files except the weights.
 * @param {Files} given @param {{ dtype?: Dtype, ignoreHead?: boolean, isLoading?: boolean }} [options]
 * @returns {Generator<any, Opened, any>}
 */
function* openModel(given, { dtype: requested, ignoreHead = false, isLoading = false } = {}) {
  expect(isPlain(given) && Object.keys(given).length > 0, 'type', () => 'models: files must be an object of file ' +
    `contents by name, such as { 'config.json': text, 'model.safetensors': blob }, got ${isPlain(given)
      ? 'an empty object' : describe(given)}; read each file first with await readFile(path)`)
  /** @type {Opened} */
  const found = {
    type: null, parameters: 0, bytes: 0, dtype: null, missing: [], unused: [], problems: [], config: {}, reads: [],
    files: given, pooling: null, blockTypes: new Map()
  }
  const dtype = requested ?? 'float32'
  yield* collectProblems(found, function* () {
    const { files, pooling } = yield* readSentenceModules(given, ignoreHead)
    const { config, entries, gguf } = yield* readConfig(files)
    Object.assign(found, { files, pooling, gguf })
    // A model has Hugging Face's order of rows, whichever its file has.
    const { rotary_layout: _, ...configOfModel } = config
    found.config = configOfModel
    found.type = String(found.config.model_type)
    const family = found.family = findFamily(found.config)
    checkLayerCount(config)
    const tensorsByKey = indexByKey(yield* entries(), family.prefixes, found.problems)
    const hasCopy = yield* isHeadCopyOfEmbedding(family, config, tensorsByKey, isLoading)
    found.generation = yield* readJson('models', files, 'generation_config.json')
    const effectiveConfig = mergeGenerationConfig(config, found.generation ?? {})
    const headKey = family.tokenEmbedding?.headKey ?? LM_HEAD
    const shapeOf = (/** @type {string} */ key) => (hasCopy && key === headKey ? undefined
      : tensorsByKey.get(gguf && key === headKey ? 'output.weight' : key)?.entry.shape)
    const head = ignoreHead ? null : readHead(effectiveConfig, family.heads)
    const settings = { ...family.readSettings(effectiveConfig, shapeOf), head }
    found.settings = gguf ? gguf.adjust(settings) : settings
    expect(!pooling || !('decoderStartTokenId' in settings), 'format', () => `modules.json: embeddings of ${config.model_type}, ` +
      'an encoder-decoder, are not supported; models.load(files, { ignoreHead: true }) loads the model alone')
    found.generationSettings = {
      ...readGenerationConfig(effectiveConfig, found.settings.decoderVocabSize ?? found.settings.vocabSize),
      generationDefaults: found.generation && !head && !pooling && 'generate' in family.Model.prototype
        ? readGenerationDefaults(found.generation, 'decoderStartTokenId' in settings) : {}
    }
    const model = buildMetaModel(family, found.settings, dtype)
    const state = model.stateDict()
    const rows = gguf ? gguf.rows(found.settings, state) : rowsOf(family, found.settings, state)
    const marked = markPermuted(rows, found.settings), ignored = gguf ? GGUF_IGNORED : family.ignored
    const plan = planReads(tensorsByKey, marked, state, ignored)
    found.parameters = countParameters(model)
    const inBlocks = findBlockTypes(state, requested, gguf && plan.reads)
    for (const [key, tensor] of Object.entries(state)) {
      const own = inBlocks?.get(tensor)
      if (own) found.blockTypes.set(key, own)
    }
    found.bytes = countBytes(model, dtype, inBlocks)
    const { reads, missing } = plan, dtypeOfFiles = findMainDtype(reads)
    Object.assign(found, { reads, dtype: dtypeOfFiles, missing, unused: plan.unused.map(tensor => tensor.name) })
    if (found.bytes > MAX_BYTES) found.problems.push(`the model's ${found.parameters} parameters take ${found.bytes} ` +
      `bytes, and at most ${MAX_BYTES} are available${suggestDtype(model, dtype)}`)
    found.problems.push(...plan.problems.map(problem => gguf?.rename(problem) ?? problem))
    const { weightProblem, headProblem } = describeUnused(classifyUnused(plan.unused, plan.used), config, head !== null)
    if (weightProblem) found.problems.push(weightProblem)
    if (headProblem && !ignoreHead) found.problems.push(headProblem)
  })
  if (!found.parameters) for (const [path, content] of Object.entries(given)) {
    const name = baseName(path), other = UNSUPPORTED_FORMATS.find(([pattern]) => pattern.test(name))
    if (other) found.problems.push(`${name} ${other[1]}`)
    else if (mayBeLlama2cFile(name) && findFile(given, 'config.json')) yield* collectProblems(found, function* () {
      yield* checkFormat('models', path, yield* openSource('models', path, content), detectNonWeights)
    })
  }
  return found
}

/**
 * Checks a model's files by their headers, without reading the weights.
 * @param {Files} files
 * @param {Pick<LoadOptions, 'dtype' | 'ignoreHead'>} [options] the options for load
 * @returns {any} an Inspection, at once if all files are in memory, otherwise a promise of it
 */
export function inspect(files, options) {
  const checked = expectOptions('models.inspect', options, ['dtype', 'ignoreHead'])
  const { dtype, ignoreHead } = checkOptions('models.inspect', checked)
  return settle((function* () {
    const found = yield* openModel(files, { dtype, ignoreHead })
    const { type, parameters, bytes, missing, unused, problems } = found
    return { type, parameters, bytes, dtype: found.dtype, missing, unused, problems }
  })())
}

/** Throws if a model cannot be loaded from its files. @param {Opened} found */
function checkComplete({ family, missing, problems, error }) {
  const all = [...problems]
  if (error && all.length === 1) throw error
  if (missing.length) all.push(`missing ${missing.length === 1 ? 'tensor' : 'tensors'} ${formatList(missing)}`)
  expect(all.length === 0 && family !== undefined, 'format',
    () => `models.load: ${formatList(all.map(problem => problem.replace(/^models: /, '')))}`)
}

/**
 * @typedef {object} LoadOptions
 * @property {'float32' | import('../nn/quantize.js').StoredType} [dtype] the dtype that the matrices are stored in, see
 *   quantize: they are converted as they are read; default: 'float32', but quantized matrices of a GGUF file stay in
 *   its blocks
 * @property {(progress: { done: number, total: number }) => void | Promise<void>} [onProgress] called as weights are
 *   read, with the bytes read and the bytes in total; a promise is awaited
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal; with a signal, load yields to other tasks
 *   between tensors
 * @property {boolean} [cache] true; whether a browser keeps what it reads from an address in its cache
 * @property {boolean} [ignoreHead] false by default; true loads a model whose head is not supported, such as
 *   BertForMultipleChoice, without the head, and without the modules of a sentence embedding
 */

/**
 * Checks the options that inspect and load have in common.
 * @param {string} where @param {LoadOptions} options @returns {{ dtype: Dtype | undefined, ignoreHead: boolean }}
 */
function checkOptions(where, { dtype, ignoreHead = false }) {
  return { dtype: dtype && expectOneOf(where, 'dtype', dtype, DTYPES), ignoreHead: expectBoolean(where, 'ignoreHead', ignoreHead) }
}

/**
 * The checked options of load with their defaults.
 * @param {LoadOptions | undefined} options
 * @returns {LoadOptions & { ignoreHead: boolean, cache: boolean }}
 */
function loadOptions(options) {
  const all = expectOptions('models.load', options, ['dtype', 'onProgress', 'signal', 'ignoreHead', 'cache'])
  const { onProgress, signal } = all, { dtype, ignoreHead } = checkOptions('models.load', all)
  expect(onProgress === undefined || typeof onProgress === 'function', 'type',
    () => `models.load: onProgress must be a function, got ${describe(onProgress)}`)
  expect(signal === undefined || typeof signal?.throwIfAborted === 'function', 'type',
    () => `models.load: signal must be an AbortSignal, got ${describe(signal)}`)
  return { dtype, onProgress, signal, ignoreHead, cache: expectBoolean('models.load', 'cache', all.cache ?? true) }
}

/**
 * Loads a model and its tokenizer from files. The model is in eval mode.
 * @param {Engine} engine
 * @param {Files | string | Address} files config.json, model.safetensors (or shards with their index), and those of the
 *   tokenizer; or one .gguf file; or the address of such a folder or .gguf file, of which only the parts that are
 *   needed are read;
 *   generation_config.json takes precedence over config.json for the ids that end a generation, are never generated
 *   (bad_words_ids of one token, suppress_tokens) or start it
 * @param {LoadOptions} [options]
 * @returns {Promise<{ model: AnyModel,
 *   tokenizer: import('../text/tokenizer.js').Tokenizer | import('./marian_tokenizer.js').MarianTokenizer | null,
 *   config: Record<string, any> }>} model: the class is given by model_type in config.json; tokenizer: of a translator
 *   with two vocabularies, it encodes sources and decodes targets, and its `target` encodes targets
 * @throws {GlassformerError} 'format' for files that do not match each other or are not supported, 'memory' if they are
 *   too large; the reason of the signal if it is aborted. No memory stays in use
 */
export const load = (engine, files, options) =>
  guardPromise(loadModel(engine, files, options), ['model', 'tokenizer', 'config'],
    'const { model, tokenizer } = await gf.models.load(files)')

/** The address that stands for files, or null. @param {Files | string | Address} files @returns {string | null} */
const addressOf = files => (typeof files === 'string' ? files
  : typeof files?.href === 'string' && !Object.hasOwn(files, 'config.json') ? files.href : null)

/** @param {Engine} engine @param {Files | string | Address} given @param {LoadOptions} [options] */
async function loadModel(engine, given, options) {
  const { dtype, ignoreHead, cache, ...progressOptions } = loadOptions(options)
  const { signal } = progressOptions
  const address = addressOf(given)
  const files = address === null ? /** @type {Files} */ (given) : await openRemoteFolder(address, { signal, cache })
  const found = await settle(openModel(files, { dtype, ignoreHead, isLoading: true }))
  checkComplete(found)
  const { family, settings, config } = found, { reads, finish } = withProgress(found.reads, progressOptions)
  const tokenizer = await settle(readTokenizer(engine, found.files, family.isTokenizer, found.gguf?.metadata))
  const { blockTypes } = found, isInBlocks = blockTypes.size > 0
  if (isInBlocks) await loadBlockKernels(engine)
  const model = engine.withoutInitialization(() => new family.Model(engine, settings), isInBlocks ? 'q8_0' : dtype, isInBlocks)
  Object.assign(model, found.generationSettings,
    { labels: settings.head?.labels ?? null, pooling: found.pooling, ownTokenizer: tokenizer })
  model.origin = { family, settings, config, generation: found.generation }
  try {
    const state = model.stateDict()
    for (const [key, tensor] of Object.entries(state)) if (tensor.isLeftOut) tensor.allocate(blockTypes.get(key) ?? 'float32')
    for (const read of reads) {
      if (progressOptions.signal) await nextTask()
      await settle(readParameter(engine, state[read.target], read))
    }
    await finish()
    if (isInBlocks || dtype !== undefined && dtype !== 'float32') for (const parameter of model.requiresGrad_(false).parameters()) {
      if (parameter.dtype !== 'float32') prepareWeight(parameter)
    }
  } catch (error) {
    model.dispose()
    throw error
  }
  return { model: model.eval(), tokenizer, config }
}
