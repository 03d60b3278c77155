/**
 * The types of the page: `/** @import { Room } from '../types.d.ts' *\/`.
 * Types used in a single file are defined there.
 */

import type { Axis } from '../src/js/trace/axes.js'
import type { Block } from '../src/js/tensor/blocks.js'
import type { Branch } from '../src/js/decoding/beam.js'
import type { Cache } from '../src/js/ops/attention_cache.js'
import type { Explanation } from '../src/js/trace/explain.js'
import type { load } from '../src/js/index.js'
import type { Arc, ExplainedWord, Try } from '../src/js/text/explanations.js'
import type { Called, Described, Pass, Run as LibraryRun, Step } from '../src/js/trace/observe.js'
import type { Tensor as LibraryTensor } from '../src/js/tensor/tensor.js'
import type { Problem, Setting, Settings as TrainingSettings, Value } from '../src/training/types.d.ts'
import type { Cell } from './lib/cell.js'
import type { Domain, Scale } from './lib/color.js'
import type { Edit } from './lib/edits.js'
import type { LastStep } from './rooms/stream.js'
import type { Slice } from './lib/slice.js'

export type { Axis, Branch, Called, Cell, Described, Domain, Edit, Explanation, LibraryRun, LibraryTensor, Pass }
export type { Arc, ExplainedWord, Problem, Scale, Setting, Slice, Step, Try, Value }

/** The library that `load` resolves to. */
export type Library = Awaited<ReturnType<typeof load>>

// Texts and themes ---------------------------------------------------------------------------------------------------

/** Returns the text of a key, with placeholders filled in. */
export type Translate = (key: string, values?: Record<string, unknown>) => string

export type Mode = 'light' | 'dark'
export type Language = import('./words/index.js').Language

/** The colors for canvases, by purpose. */
export interface Palette {
  paper: string
  ink: string
  muted: string
  line: string
  accent: string
  faint: string
  wash: string
  soft: string
}

/** The current theme; on paper everything is drawn at once, since nothing can be scrolled. */
export interface Theme {
  mode: Mode
  palette: Palette
  isPaper?: boolean
}

/** A picture for export, and its size. */
export interface Piece {
  svg: string
  width: number
  height: number
}

// The state of the page ---------------------------------------------------------------------------------------------

/** What determines a run: a model, its settings and the texts of its fields. Each model has some of them. */
export interface Settings extends TrainingSettings {
  edits: Edit[]
}

export type Depth = 'story' | 'numbers' | 'formula' | 'code'
export type ProjectionName = 'q' | 'k' | 'v'

/** Which part of a run is displayed, and how. */
export interface ViewState {
  room: string
  sentence: number
  head: number
  layer: number
  part: ProjectionName
  row: number
  step: number
  cell: Cell | null
  depth: Depth
  twin: string
  /** The other text of a comparison of two; '' for the model's own. */
  other: string
  /** What of the other text's run is patched. */
  patched: import('./lib/patching.js').Kind
  embed: boolean
  theatre: string
  /** The exercise, or `list`. */
  exercise: string
  lesson: string
  at: number
  /** The plan of the teacher’s page that the lessons follow: its minutes, or 0. */
  plan: number
  /** The term at which the glossary is open, or `all`. */
  glossary: string
  /** The term whose matrix is highlighted. */
  lit: string
  language: 'auto' | Language
  theme: 'auto' | Mode
}

/** The whole state: what determines a run, and which part of it is displayed. */
export interface State extends Settings, ViewState {}

/** A change of the state. */
export type Patch = Partial<State>

// Models -------------------------------------------------------------------------------------------------------------

/** An input field; of an answer, the model's own is displayed until the reader types one. */
export interface Field {
  default: string
  notes?: string[]
  /** The maximum number of characters, where it is not the default. */
  maxLength?: number
  isAnswer?: boolean
  isLong?: boolean
  /** Whether a one-line field accepts line breaks and grows while it has the focus. */
  hasBreaks?: boolean
}

export interface Example {
  text?: string
  word?: string
  lang?: string
  note?: string
  patch: Patch
}

/** What the page needs to know of a model before a run. */
export interface PageModel {
  /** Its id in links. */
  id: string
  /** Weight files, fetched when the model is selected. */
  files: string[]
  /** The files that a run needs, if not all. */
  filesOf?: (state: Settings) => string[]
  /** Weight files with the settings that they were trained with. */
  variants?: { file: string, settings: Partial<Settings> }[]
  /** Whether the reader imports its files. */
  isImported?: boolean
  /** Whether its runs call `gf.text`, whose kernels are fetched then. */
  needsText?: boolean
  settings: Record<string, Setting>
  fields: Record<string, Field>
  examples: Example[]
  /** The texts of rooms that the run alone does not determine. */
  hints: { mask?: string }
  /** Problems of the fields. */
  problems: (state: Settings) => { [name: string]: Problem | null | undefined }
  /** Tokens of an answer as text. */
  written: (tokens: string[]) => string
  /** A token of an answer, or a text of them, as a language names it, where tokens have several names. */
  named?: (text: string, language: Language) => string
  /** Why the model's answer is unreliable, as a key of its field's texts. */
  warning?: (state: Settings) => string | null
  /** Its own rooms, where they are not derived from the run. */
  rooms?: (run: Run) => Room[]
  /** The tensors that the opening shows; of the last one in which the decoder reads the encoder, the end of its name. */
  opening?: { weights: string, probabilities: string }
  /** The link of a training for settings without trained weights. */
  training?: (state: Settings) => string | null
  /** The key of the note on the model at the end of every room. */
  kind: (state: Settings) => string
  /** What the numbers of a tensor mean, where their operation does not say it; the text is under `meanings.`. */
  meanings?: Record<string, Meaning>
  explainError?: (error: Failure) => Record<string, Problem> | null
}

/** The meaning of a tensor's numbers. */
export interface Meaning {
  /** In the page's formula language. */
  formula: (index: number[]) => string
  /** The labels along each axis, where there are any. */
  places?: (({ key: string, values?: Record<string, unknown> } | { text: string })[] | null)[]
}

/** The progress of a long run: generated tokens; isDone: all are generated, and every value is computed. */
export interface Progress {
  written: number
  isDone?: boolean
}

/** An error of the worker. */
export interface Failure extends Error {
  code?: string
  /** Whether the query was about a run that has been replaced. */
  isStale?: boolean
}

// Runs on the page ---------------------------------------------------------------------------------------------------

/** A tensor with its values. */
export interface Tensor extends Described {
  data: Float32Array
}

/** A tensor whose values may still be in the worker. */
export interface KnownTensor extends Described {
  data: Float32Array | null
  /** Of a large table, the rows that have been loaded. */
  rows?: Map<number, Float32Array>
  /** Of a weight in blocks, what the file has of these rows. */
  blocks?: Map<number, BlockRow>
  /** Of such a table, the largest magnitude, and the rows with the largest values. */
  extent?: { peak: number, largest: number[] }
  /** Whether it is the thumbnail of a large tensor. */
  isThumbnail?: boolean
}

/** Some rows of a table, and the extent of the whole table. */
export interface SomeRows {
  rows: Float32Array
  extent: { peak: number, largest: number[] }
  /** Of a weight in blocks, what the file has of each row. */
  blocks?: BlockRow[]
}

/** A row of a weight in blocks: its scales, minimums and codes, one block after the other. */
export interface BlockRow extends Block {
  /** The size of a block, in values and in bytes, and what is subtracted from its codes. */
  values: number
  bytes: number
  center: number
}

/** How a token was merged from shorter ones by byte-pair encoding. */
export interface TokenMerge {
  pieces: string[]
  at: number
  rank: number
  count?: number
  token: string
}

/** The candidates that a searching tokenizer considered in each word of a text. */
export interface Segmentation {
  type: string
  words: ExplainedWord[]
}

/** A step of training byte-pair encoding: the words in tokens, the most frequent pairs, and the next merge. */
export interface BpeStep {
  count: number
  words: string[][]
  pairs: { pair: [string, string], count: number }[]
  merge: { pair: [string, string], token: string, count: number } | null
}

/** A sentence in a language and its tokens. */
export interface LanguageCost {
  lang: string
  text: string
  bytes: number
  tokens: string[]
}

/** A syllable and the tokens that contain it, each with its range of bytes, where tokens are bytes. */
export interface Syllable {
  syllable: string
  pieces: { token: string, id: number, range: [number, number] | null }[]
}

/** The syllables of a text, or of an example where the text has none. */
export interface Hangul {
  isExample: boolean
  syllables: Syllable[]
}

/** A text that a model reads or generates; everything in it is by sentence. */
export interface Stream {
  texts: string[]
  tokens: string[][]
  ids: number[][]
  vocabulary: string[]
  padding: boolean[][]
  lengths: number[]
  isAnswer?: boolean
  isBatch?: boolean
  /** Of a classification head, by id. */
  labels?: string[]
  /** By id. */
  merges?: Record<number, TokenMerge[]>
  cut?: Segmentation
  hangul?: Hangul
  languages?: LanguageCost[]
}

/** An answer: how it was generated, its tokens, and the rows of logits that they were chosen from. */
export interface Decoding {
  kind: string
  tree: Branch[] | null
  best: number | null
  /** The rows of logits that the steps were chosen from. */
  rows: number[]
  /** The number of tokens before the first one with logits; 0 by default. */
  first?: number
  steps: { id: number, token: string, sample: number | null }[]
}

/**
 * A truncated text: limited by the model's positions, by memory, by the page, or by a setting.
 */
export interface Truncation {
  read: number
  of: number
  limit: 'places' | 'memory' | 'page' | 'setting'
}

/** The curve of an activation. */
export interface Curve {
  x: Float32Array
  y: Float32Array
}

/** Layers that retain their attention matrices, of how many; the bytes of all matrices, and those available. */
export interface RetainedLayers {
  layers: number[]
  of: number
  total: number
  room: number
}

/** What a model reports about a run besides the values. */
export interface Facts {
  settings: Settings
  hints: { mask?: string }
  /** Tensors that an answer is chosen from. */
  outputs?: string[]
  /** The previous values of edited weights, by `name:index`. */
  valuesBeforeEdits?: Map<string, number>
  isTrained?: boolean
  /** Tensors of a trained model that are random. */
  randomTensors?: string[]
  smoothing?: Record<string, unknown> | null
  /** The architecture of a model whose weights come from the training page. */
  shape?: Record<string, any>
  decoding?: Decoding
  /** What a classification head answers: as one text, and piece by piece. */
  classification?: { text: string, items: string[] }
  /** The loss of the correct answer, whatever the model generated; null where none is known. */
  trueLoss?: number | null
  /** Of a twin that reads another run's answer: what it would have generated by itself. */
  ownDecoding?: Decoding
  /** The most instructive row of an attention. */
  focus?: { of: string, row: number }
  /** Whether its model can be exported as a file. */
  isExportable?: boolean
  /** Whether it can also be exported as a folder for Hugging Face's classes. */
  hasHubFiles?: boolean
  /** The truncated texts, by field. */
  truncated?: { text?: Truncation, target?: Truncation }
  /** Where not all attention matrices fit into memory: the layers that retain theirs. */
  retained?: RetainedLayers
  /** The duration in milliseconds, including the generation. */
  duration?: number
  imported?: { type: string, serial: number, dtype: string, broken: { count: number, first: string } | null }
  order?: number[]
  times?: Record<string, number>
  /** Of extrapolating models: the length they were trained on. */
  lengths?: { trained: number }
}

/** How a model generates token by token, so that the worker can repeat it. */
export interface Continuation {
  model: { namedModules: () => Iterable<readonly [string, any]> }
  /** The prompt and the answer. */
  ids: number[]
  /** Whether its texts repeat their tokens. */
  isRepetitive?: boolean
  /** Encodes the source once, if there is one; returns a function to the logits of tokens, after those in a cache. */
  begin: () => (ids: number[], cache: Cache | null) => LibraryTensor
}

/** Files for Hugging Face's classes, and the name of their folder. */
export interface Folder {
  name: string
  content: Record<string, string | Uint8Array>
}

/** A run in the worker, where it is alive, with its model's facts. */
export interface ModelRun extends Facts {
  run: LibraryRun
  continuation?: Continuation
  /** Texts of the kind that the model was trained on, always the same. */
  similarTexts?: () => string[]
  /** What can be exported: a model and its inputs; its files for Hugging Face's classes. */
  exportable?: {
    model: any, inputs: Record<string, number[][]>
    files?: () => Folder | Promise<Folder>
  }
}

/** The structure of a run: it stays the same while the reader only types. */
export interface Structure {
  described: Described[]
  steps: Step[]
  calls: Called[]
  aliases: ReadonlyMap<string, string>
}

/** The part of a run that is the same in the worker and on the page. */
export interface RunReport {
  signature: string
  streams: Record<string, Stream>
  passes: Pass[]
  /** Edits that the run has no cell for. */
  unusedEdits: import('./lib/edits.js').EditTarget[]
  loss: number
  hasLoss: boolean
  /** The tensor that backward starts from. */
  end: string | null
}

/** A serialized run; without a structure that the page has already. */
export interface RunMessage extends RunReport {
  structure: Structure | null
  curves: Record<string, Curve> | null
  values: Map<string, Float32Array>
  facts: Facts
}

/** A run as the page reads it: plain data. */
export interface Run extends Facts, RunReport {
  structure: Structure
  tensors: Map<string, KnownTensor>
  steps: Step[]
  calls: Called[]
  aliases: ReadonlyMap<string, string>
  curves: Record<string, Curve>
  /** The requested settings, which identify an outdated run. */
  requested?: Settings
}

/** The explanation of a cell, or why there is none, and the tensors that use it. */
export interface CellExplanation extends Omit<Explanation, 'sources'> {
  sources: Marks['sources']
  /** The number of terms, where only some were sent, each with its position. */
  count?: number
  /** Why there is no explanation. */
  missingReason?: 'notTrained' | 'notInLoss' | 'notRetained'
  users: string[]
  differentiable: boolean
}

// Rooms and stages ---------------------------------------------------------------------------------------------------

/** A place in a run that displays one idea. */
export interface Room<S extends keyof StageParts = any> {
  /** Its id in links. */
  id: string
  /** The stage that draws it. */
  stage: string
  /** The key of its texts. */
  words: string
  parts: StageParts[S]
  /** The tensors of the room; the first is its output. */
  tensors: string[]
  /** 'encoder', 'decoder' or 'model'. */
  tower?: string
  layer?: number
  /** The number of its expert, in a mixture of experts. */
  expert?: number
  /** Its group on the map. */
  block: string
  /** While rooms are derived: the tensor whose block it shares. */
  blockOf?: string
  /** Its text. */
  stream?: string
  /** Whether the whole house contains its picture. */
  isFloor?: boolean
  /** Whether it is part of the tour. */
  isOnTour?: boolean
  /** The ids of the rooms whose output it uses. */
  from: string[]
  /** Its controls, if not those of the stage. */
  controls?: readonly string[]
  /** The settings that its values depend on, if not all. */
  settings?: readonly string[]
  /** The cell that is explained first, where one is most instructive. */
  opening?: Cell
  /** The rooms of notebooks that compute the same. */
  notebooks?: { id: string, words: string }[]
  /** The text beside the suggestion: 'without' by default. */
  aside?: string
}

/** The parts of a projection: its input, the used rows of the weight, its output. */
export interface Projection {
  x: string
  weight: string
  bias?: string
  y: string
  first?: number
  count?: number
  biasFirst?: number
}

/** The parts of a residual sum. */
export interface Residual {
  input: string
  change: string
  sum: string
  isFirst: boolean
}

/** The parts of an attention, which its rooms share. */
export interface AttentionParts {
  q: string
  k: string
  v: string
  /** Products before they are scaled, where that is a step of its own. */
  dots?: string
  scores: string
  masked: string
  weights: string
  /** Which weights dropout keeps, and the weights after it. */
  mask?: string
  dropped?: string
  out: string
  heads: number
  kvHeads: number
  isCausal: boolean
  scale: number
  /** 'cross', 'masked', 'encoder' or 'self'. */
  kind: string
}

/** The name of a text's stream. */
export interface TextParts { stream: string }
/** Positions that are added to vectors. */
export interface PositionParts { table: string, vectors: string, out: string, stream?: string }
/** The tensors of sampling, from logits to a token. */
export interface SamplingParts {
  logits: string
  inverse_temperature: string
  tempered: string
  mask: string
  cut: string
  probabilities: string
  output: string
}
/** The cached keys and values of a layer. */
export type CachedLayer = Pick<import('./rooms/stream.js').Heads, 'k' | 'v' | 'heads' | 'kvHeads' | 'layer'>

/**
 * The parts of the rooms of each stage, as agreed between the stage and `web/rooms`: names of tensors by role, and a few
 * facts. Rooms of notebooks and of the position laboratory agree with their own stages.
 */
export interface StageParts {
  tokens: TextParts
  ids: TextParts
  pieces: TextParts
  bpe_merges: TextParts
  bpe_training: TextParts
  wordpiece: TextParts
  unigram: TextParts
  syllables: TextParts
  /** by: the kind of table, unless it is that of tokens */
  embedding: { weight: string, out: string, stream?: string, by?: string }
  positions: PositionParts
  sum: PositionParts
  relative: { weight: string, bias: string, heads: number }
  qkv: AttentionParts & { projections: Record<string, Projection> }
  /** choices: what is rotated; tables: their cosines and sines */
  rotary: AttentionParts & {
    rotated: Record<string, string>, tables: Record<string, { cos: string, sin: string }>, layout: string, choices: ('q' | 'k')[]
  }
  scores: AttentionParts
  scale: AttentionParts & { dots: string }
  mask: AttentionParts
  weights: AttentionParts
  cross: AttentionParts
  attention_dropout: AttentionParts & { mask: string, dropped: string }
  heads: AttentionParts
  output: AttentionParts & Projection
  /** stored: the weight before 1 is added to it; heads: how many are normalized one by one */
  norm: {
    x: string, weight?: string, bias?: string, y: string, residual: Residual | null, isFirst: boolean, isCentred: boolean,
    heads?: number, stored?: string
  }
  linear: Projection & { isTied: boolean }
  activation: { before: string, after: string, kind: string, heads?: number }
  dropout: { before: string, mask: string, after: string }
  operation: { inputs: Record<string, string>, out: string, op: string, heads?: number }
  /** index: the experts chosen for each token */
  experts: { scores: string, router: string, chosen: string, weights: string, index: number[][] }
  labels: { scores: string, probabilities: string }
  sampling: SamplingParts
  decoding: SamplingParts
  cache: { layers: CachedLayer[], heads: number }
  head_scores: { layers: import('./rooms/stream.js').Heads[], out: string }
  /** logits: of the answer's tokens or, in a classification, of its labels */
  attribution: { logits: string }
  patching: {
    logits: string, rows: ReturnType<typeof import('./rooms/stream.js').patchedRows>, attentions: import('./rooms/stream.js').Heads[]
  }
  ablation: { parts: import('./rooms/stream.js').Part[], logits?: string, out: string }
  residual_stream: {
    streams: import('./rooms/stream.js').Stream[], last: import('./rooms/stream.js').LastStep[] | null, spoken: string | null
  }
  weight_blocks: { weight: string }
  costs: { out: string }
}

/** The displayed part of a run: the state, restricted to what the run has. */
export interface View<S extends keyof StageParts = any> extends Settings, Omit<ViewState, 'room'> {
  room: Room<S>
  rooms: Room[]
  /** The picture of a room on the map and in the house. */
  picture: (room: Room, more?: object) => Picture | null
}

/** A matrix and its color scale. */
export interface Picture {
  part: Pick<Slice, 'rows' | 'cols' | 'values'>
  domain: Domain
}

/** Marked cells of tensors. */
export interface Marks {
  current: Cell | null
  pinned: boolean
  /** Source cells; one with a count stands for a range along an axis of its tensor, from the start. */
  sources: (Cell & { axis?: number, count?: number })[]
  isChosen?: boolean
}

/** A mounted stage. */
export interface Mounted<Data> {
  update: (next: Data) => void
  mark: (marks: Marks) => void
  destroy: () => void
}

/** How a stage with this `data` is mounted. */
export type Mount<Data extends (...args: never[]) => unknown> =
  (container: HTMLElement, context: Context) => Mounted<ReturnType<Data>>

/** A module of `stages`: its data, its thumbnail, and its figure. */
export interface Stage<S extends keyof StageParts = any> {
  id: string
  controls: readonly string[]
  pickers: readonly string[]
  data: (run: Run, view: View<S>) => object
  picture: (run: Run, view: View<S>) => Picture | null
  mount: (container: HTMLElement, context: Context) => Mounted<any>
}

/** What the page provides to its parts. */
export interface Context {
  t: Translate
  get: () => State
  set: (patch: Patch, history?: 'push' | 'replace') => void
  /** Sends a query to the worker. */
  runQuery: RunQuery
  run: () => Run | null
  rooms: () => Room[]
  enterRoom: (room: string) => void
  href: (room: string) => string
  link: (patch?: Patch) => string
  /** The cell that the reader, or a step of a lesson, has selected, once a room is shown. */
  selectedCell?: () => Cell | null
  selectCell: (cell: Cell, dimsOthers?: boolean) => void
  selectStepCell: (cell: Cell, dimsOthers: boolean) => void
  pinCell: (cell: Cell | null) => void
  pinSource: (cell: Cell) => void
  editCell: (cell: Cell) => void
  endHover: () => void
  theme: () => Theme
  width: () => number
  /** Whether the stage displays the second run of a comparison. */
  isTwin?: boolean
  language: () => Language
  /** Tokens of an answer as text. */
  written: (tokens: string[]) => string
  /**
   * The text of the run, the one that it is compared with, and what is wrong with that; pair: two that can be compared;
   * texts: this one and the model's examples.
   */
  otherText: () => { own: string, text: string, problem?: Problem | null, pair: Patch | null, texts: string[] }
  /** The title of the figure, and its origin in one line. */
  heading: () => string
  origin: (named?: string) => string
  /** Loads all values of a run. */
  loadAll: (run: Run) => Promise<Run>
  /** Computes again without a change of the state. */
  rerun: () => void
  isCurrent: () => boolean
  onOneScale: (data: object, run: Run, view: View) => object
  showControls: () => void
  /** Resolves when all texts and rooms are loaded; at the opening they may not be. */
  ready: () => Promise<void>
  reportError: (error: unknown) => void
}

/** What one part of the model added to a score; sources: of a head, by the token it read; cell: the largest contribution. */
export interface AttributedPart {
  name: string
  layer: number | null
  head: number | null
  role: string
  value: number
  sources: Float64Array | null
  cell: number[] | null
}

/** A score, or the difference of two, as the sum of its parts; rounding: the score less that sum. */
export interface Attribution {
  total: number
  rounding: number
  token: number
  against: number | null
  parts: AttributedPart[]
}

/** What each token of each embedded text did to a score, total, and the score without the text, baseline. */
export type InputAttributions = { values: number[], total: number, baseline: number, gap: number }[]

/** The neurons of a network that made most of a score: of count neurons, the sum of all others, and the bias. */
export interface StrongNeurons {
  name: string
  count: number
  top: { neuron: number, value: number }[]
  rest: number
  bias: number
}

/** What one unit of a neuron's activation adds to the logits of the tokens that it raises and lowers most. */
export interface NeuronWrites {
  activation: number
  promoted: { token: number, value: number }[]
  suppressed: { token: number, value: number }[]
}

/** Where a neuron's activation is the largest in one of some texts; tokens: by stream. */
export interface FiringText {
  text: number
  position: number
  value: number
  tokens: Record<string, string[]>
}

/** The strongest pairs of the circuits of a head; count: of the tokens; null for what cannot be computed. */
export interface Circuits {
  ov: { top: { source: number, target: number, value: number }[], copyingScore: number, count: number } | null
  qk: { top: { query: number, key: number, value: number }[], distance: number | null } | null
}

/** By sender and receiver, their indices in heads; NaN where the receiver is not in a later layer. */
export interface CompositionScores {
  heads: { layer: number, head: number }[]
  q: number[][]
  k: number[][]
  v: number[][]
}

/** The logit lens at a position: the most probable tokens, and the probability of the chosen one. */
export interface LensPrediction {
  tokens: number[]
  probabilities: number[]
  chosen: number
}

/** A lens fitted to count texts: what it reads after each sub-layer; losses: of a tuned lens, in nats. */
export interface FittedLens {
  predictions: LensPrediction[][]
  losses: { before: number, after: number }[] | null
  /** In nats, on the text that is read, from the model's answer. */
  divergence: number
  /** How many other texts it was fitted to. */
  count: number
}

/** Where an answer is read from a run: rows of logits and their tokens; without an answer, the output. */
export interface AnswerTarget {
  logits?: string
  out: string
  rows: number[]
  ids: number[]
}

/** The costs of a run by computed tensor, and the number of parameters by weight. */
export interface Costs {
  results: { name: string, bytes: number, multiplyAdds: number }[]
  parameters: { name: string, size: number }[]
}

/** A generation step with cached keys and values, compared with a full recomputation. */
export interface CacheComparison {
  multiplyAdds: { cached: number, full: number }
  /** The bytes of the cache: of the generated text, and of an encoded source. */
  bytes: { generated: number, source: number }
  /** The number of compared values, and of those with identical bits. */
  compared: number
  identical: number
}

/** Head scores on a repeated sequence of so many tokens: by layer, head and pattern. */
export interface HeadScores {
  count: number
  layers: number[][][]
}

/** Rows of a table projected on two principal axes, and the fraction of the variance along each. */
export interface PcaProjection {
  x: Float32Array
  y: Float32Array
  variances: number[]
}

/** The worker's queries: arguments and result. */
export interface QueryTypes {
  ablate: [{ state: object, edits: Edit[], what: AnswerTarget, base?: Float32Array }, Float32Array]
  /** token: the one with the largest score by default; isDifference: compared with the best other token */
  attribution: [{ logits: string, position: number, token?: number, isDifference: boolean }, Attribution]
  /** tokens: ids; all by default */
  circuits: [{ layer: number, head: number, logits?: string, tokens?: number[] }, Circuits]
  compositions: [object, CompositionScores | null]
  strongNeurons: [{ logits: string, position: number, token: number, against: number | null, part: string }, StrongNeurons | null]
  neuronWrites: [{ name: string, neuron: number, logits: string, position: number }, NeuronWrites | null]
  neuronTexts: [{ state: State, texts: string[], name: string, neuron: number }, FiringText[]]
  /** inputs: the tensors with the embeddings */
  inputAttribution: [{
    method: 'gradientTimesInput' | 'integratedGradients' | 'occlusion', inputs: string[], logits: string, position: number, token: number,
    against: number | null
  }, InputAttributions | null]
  answerTo: [{ state: State, text: string }, OtherText]
  patch: [PatchQuery, PatchedRows]
  stopWork: [object, void]
  logitLens: [{ points: { name: string, last: LastStep[] }[], rows: number[], ids: number[] }, LensPrediction[][]]
  /** texts: others to which the lens is fitted; rows, ids: of the answer */
  fitLens: [{ state: State, texts: string[], kind: 'tuned' | 'jacobian', logits: string, rows: number[], ids: number[] },
    FittedLens | null]
  norms: [{ names: string[] }, Float32Array[]]
  channelMeans: [{ names: string[] }, Float32Array[]]
  costs: [object, Costs]
  contributions: [{ x: string, weight: string, heads: number, isTwin?: boolean }, {
    pictures: { rows: number, cols: number, values: Float32Array }[], norms: Float32Array, peak: number
  }[]]
  nearest: [{ name: string, index: number[], table: string, isTwin?: boolean }, { row: number, cosine: number }[]]
  compareCache: [{ read: number, row: number, isTwin?: boolean }, CacheComparison | null]
  headScores: [object, HeadScores | null]
  pca: [{ name: string, rows: number[] | null, isTwin?: boolean }, PcaProjection]
  bpeStep: [{ text: string, step: number }, BpeStep]
  explain: [{ cell: Cell }, CellExplanation | null]
  firstUse: [{ cell: Cell, target: string }, Cell | null]
  recipes: [{ names: string[] }, Recipe[]]
  finiteDifference: [{ settings: object, cell: Cell, value: number, step: number }, { high: number, low: number, slope: number }]
  read: [{ names: string[], isTwin: boolean }, {
    values: Map<string, Float32Array>
    /** The largest finite magnitude in each. */
    peaks: Map<string, number>
  }]
  rows: [{ name: string, rows: number[], isTwin: boolean }, SomeRows]
  thumbnails: [{ name: string, isTwin: boolean }, { values: Float32Array, peak: number }]
  steps: [object, Step[]]
  gradients: [{ isTwin?: boolean, names?: string[] }, Map<string, Float32Array>]
  twin: [{ settings: object }, RunMessage]
  inspect: [{ files: Record<string, Blob> }, Inspection]
  open: [{ files?: Record<string, Blob>, dtype?: import('./models/imported/choose_dtype.js').Dtype },
    { type: string, hasTokenizer: boolean }]
  stop: [object, void]
  finish: [{ isSuperseded?: boolean }, void]
  store: [object, boolean]
  stored: [object, { names: string[], bytes: number } | null]
  forget: [object, unknown]
  exportModel: [{ format: 'safetensors' | 'onnx' | 'py' | 'zip' }, Uint8Array | Uint8Array[] | string]
  setWeights: [{ model: string, file: Uint8Array }, void]
}
export type RunQuery = <Type extends keyof QueryTypes>(
  type: Type, details: QueryTypes[Type][0], onProgress?: (progress: { done: number, total: number }) => void
) => Promise<QueryTypes[Type][1]>

/** What a model answers to another text: its tokens by stream, and its answer. */
export interface OtherText {
  tokens: Record<string, string[]>
  /** The number of tokens that the model reads before its answer. */
  length: number
  steps: Decoding['steps']
}

/** The place of an answer at which two texts are compared, and what is patched: tensors at each position, or all heads. */
export interface PatchQuery {
  state: State
  text: string
  /** The ids of both answers. */
  ids: number[]
  otherIds: number[]
  step: number
  targets: 'heads' | string[]
}

/** By row, the logit of the other text's token minus that of this one, with a place patched; and without a patch. */
export interface PatchedRows {
  rows: { name: string, values: number[] }[]
  here: number
  there: number
}

/** The description of imported files. */
export type Inspection = Awaited<ReturnType<Library['models']['inspect']>> & {
  names: string[]
  hasTokenizer: boolean
  /** The dtype of its weights in memory, why, and what else is offered. */
  choice: Omit<Awaited<ReturnType<typeof import('./models/imported/choose_dtype.js').chooseDtype>>, 'inspection'>
  /** Of a training file instead of a model: its link, step and name. */
  training: { training: string, step: number, name: string } | null
}

/** The general formula of a tensor, and the tensors that its symbols stand for. */
export interface Recipe extends Pick<Explanation, 'name' | 'op' | 'output' | 'parameters' | 'formula' | 'formulas' | 'note'> {
  symbols: { symbol: string, tensor: string, start: number[] }[]
}

// Elements -----------------------------------------------------------------------------------------------------------

type Listener<Type extends Event, Element> = (event: Type & { currentTarget: Element, target: Element }) => unknown

/** The props of `h`: listeners, a style object, everything else as attributes. */
export interface Props<Element = HTMLElement> {
  onclick?: Listener<MouseEvent, Element>
  onkeydown?: Listener<KeyboardEvent, Element>
  oninput?: Listener<Event, Element>
  onchange?: Listener<Event, Element>
  onsubmit?: Listener<SubmitEvent, Element>
  style?: Record<string, string>
  [attribute: string]: unknown
}

/** The children of `h`: nodes and text, in nested lists; null, undefined and false are skipped. */
export type Child = Node | string | number | false | null | undefined | readonly Child[]

/** An element created by `h`, with its children. */
export type BuiltElement<Element> = Contents & Element
interface Contents {
  firstChild: BuiltElement<HTMLElement>
  lastChild: BuiltElement<HTMLElement>
  children: HTMLCollectionOf<BuiltElement<HTMLElement>>
}

declare module 'chart.js' {
  /** Our own plugins: the shaded range of a sentence, and a line at one value. */
  interface PluginOptionsByType<TType> {
    shading?: { until?: number, color?: string }
    stepMarks?: { at?: number | null, mark?: number | null, color?: string, markColor?: string }
  }
}
