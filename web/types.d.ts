/**
 * The nouns of the page, for whoever reads it and for the type checker: `/** @import { Room } from '../types.d.ts' *\/`.
 * What belongs to one file alone has its type there.
 */

import type { Axis } from '../src/js/axes.js'
import type { Branch } from '../src/js/decoding/beam.js'
import type { Cache } from '../src/js/ops/attention_cache.js'
import type { Explanation } from '../src/js/explain.js'
import type { load } from '../src/js/index.js'
import type { Arc, ExplainedWord, Try } from '../src/js/text/explanations.js'
import type { Called, Described, Pass, Run as LibraryRun, Step } from '../src/js/observe.js'
import type { Tensor as LibraryTensor } from '../src/js/tensor.js'
import type { Cell } from './lib/cell.js'
import type { Domain, Scale } from './lib/color.js'
import type { Edit } from './lib/edits.js'
import type { Last } from './rooms/stream.js'
import type { Slice } from './lib/slice.js'

export type { Axis, Branch, Called, Cell, Described, Domain, Edit, Explanation, LibraryRun, LibraryTensor, Pass }
export type { Arc, ExplainedWord, Scale, Slice, Step, Try }

/** The library, as `load` gives it. */
export type Library = Awaited<ReturnType<typeof load>>

// Words and looks ----------------------------------------------------------------------------------------------------

/** A text by its key, with values put in. */
export type Translate = (key: string, values?: Record<string, unknown>) => string

export type Mode = 'light' | 'dark'
export type Language = 'ko' | 'en'

/** The colours that canvases need, by what they are for. */
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

/** How things are drawn now; on paper nothing waits to be scrolled to. */
export interface Theme {
  mode: Mode
  palette: Palette
  isPaper?: boolean
}

/** A picture that can leave the page, and how large it is. */
export interface Piece {
  svg: string
  width: number
  height: number
}

// What the reader has chosen -----------------------------------------------------------------------------------------

/** What a setting or a field can be. */
export type Value = string | number | boolean

/** What makes a run: a model, its settings and what stands in its fields. Each model has some of them. */
export interface Settings {
  model: string
  edits: Edit[]
  weights: string
  tokenizer: string
  dModel: number
  heads: number
  base: number
  maxLength: number
  seed: number
  positions: string
  causal: boolean
  training: boolean
  dropout: number
  layers: number
  dimFeedforward: number
  normFirst: boolean
  activation: string
  norm: string
  kvHeads: number
  positional: boolean
  scale: boolean
  padding: boolean
  tgtIsCausal: boolean
  temperature: number
  topK: number
  topP: number
  decoding: string
  beams: number
  maxNewTokens: number
  shift: number
  source: string
  target: string
  text: string
  sequence: string
  beginning: string
  gapped: string
  [other: string]: unknown
}

export type Depth = 'story' | 'numbers' | 'formula' | 'code'
export type Projected = 'q' | 'k' | 'v'

/** What of a run is looked at, and how. */
export interface Looked {
  room: string
  sentence: number
  head: number
  layer: number
  part: Projected
  row: number
  step: number
  cell: Cell | null
  depth: Depth
  twin: string
  embed: boolean
  theatre: string
  lesson: string
  at: number
  /** The term at which the glossary is open, or `all`. */
  glossary: string
  /** The term whose matrix is pointed at. */
  lit: string
  language: 'auto' | Language
  theme: 'auto' | Mode
}

/** Everything that the reader has chosen: what makes a run, and what is looked at. */
export interface State extends Settings, Looked {}

/** A part of the state, as a press or a link sets it. */
export type Patch = Partial<State>

/** What is wrong, as the key of a text and its values. */
export interface Problem {
  key: string
  values?: Record<string, unknown>
}

// Models -------------------------------------------------------------------------------------------------------------

/** What a model's run can be asked for, and how: one control. */
export interface Setting {
  default: unknown
  /** Of the control; of a ladder, a slider over its steps; none where only a link says it. */
  kind: 'choice' | 'number' | 'slider' | 'ladder' | 'link'
  /** Of a choice: values by the key of their word. */
  options?: Record<string, unknown>
  /** Of a choice: the value that comes from elsewhere and cannot be chosen. */
  guest?: unknown
  /** Of a choice: whether a value can be chosen as things stand. */
  fits?: (value: unknown, state: Settings) => boolean
  /** Of a number: the steps of its buttons, and what it is compared with. */
  ladder?: (state: Settings) => number[]
  /** Of a number: the smallest and the largest whole number. */
  limits?: [number, number]
  /** Of a slider: lowest, highest and step. */
  range?: [number, number, number]
  /** What is wrong with it. */
  problem?: (state: Settings) => Problem | null
  /** Whether it would change anything as things stand. */
  matters?: (state: Settings) => boolean
  /** Whether it stands still, with a word on why. */
  isIdle?: (state: Settings) => boolean
  /** Whether a line at its control says what it changes. */
  isExplained?: boolean
}

/** Where the reader's text goes in; of an answer, the model's own stands there until the reader writes one. */
export interface Field {
  default: string
  notes?: string[]
  /** Most signs of it, where it is not the page's. */
  most?: number
  isAnswer?: boolean
  isLong?: boolean
  /** A line that holds line breaks, and grows while it is written in. */
  hasBreaks?: boolean
}

export interface Example {
  text?: string
  word?: string
  lang?: string
  note?: string
  patch: Patch
}

/** What the page has to know of a model before any run. */
export interface PageModel {
  /** As it stands in a link. */
  id: string
  /** Weights, fetched when the model is chosen. */
  files: string[]
  /** Those that a run needs, if not all. */
  filesOf?: (state: Settings) => string[]
  /** Files of weights by the settings that they were trained with. */
  variants?: { file: string, settings: Partial<Settings> }[]
  /** By the reader, as files. */
  isBrought?: boolean
  settings: Record<string, Setting>
  fields: Record<string, Field>
  examples: Example[]
  /** Which words a room has where the run alone does not tell. */
  hints: { mask?: string }
  /** What is wrong with what is in the fields. */
  problems: (state: Settings) => { [name: string]: Problem | null | undefined }
  /** Tokens of an answer as text. */
  written: (tokens: string[]) => string
  /** Why the model's answer is not to be trusted, as a key of its field's texts. */
  doubt?: (state: Settings) => string | null
  /** Its own rooms, where they are not derived from what was computed. */
  rooms?: (run: Run) => Room[]
  /** The training, as it stands in a link, that would make weights for settings that nobody has trained with. */
  offer?: (state: Settings) => string | null
  /** The key of what is said of the model at the foot of every room. */
  kind: (state: Settings) => string
  /** What numbers stand for, by tensor, where what made them does not tell; in a sentence: the text `meanings.` and it. */
  meanings?: Record<string, Meaning>
  explainError?: (error: Failure) => Record<string, Problem> | null
}

/** What a number of a tensor stands for. */
export interface Meaning {
  /** In the page's formula language. */
  formula: (index: number[]) => string
  /** Along each axis the words for its places, where they have some. */
  places?: (({ key: string, values?: Record<string, unknown> } | { text: string })[] | null)[]
}

/** What went wrong in the worker. */
/** How far a run is that takes long: tokens of its answer; isDone: all are written, and every number is computed. */
export interface Progress {
  written: number
  isDone?: boolean
}

export interface Failure extends Error {
  code?: string
  /** Of a question about a run that another has taken the place of. */
  isLate?: boolean
}

// A run, as the page has it ------------------------------------------------------------------------------------------

/** A tensor with its values. */
export interface Tensor extends Described {
  data: Float32Array
}

/** A tensor whose values may still be with the worker. */
export interface KnownTensor extends Described {
  data: Float32Array | null
  /** Of a table of many rows, those that have been looked at. */
  rows?: Map<number, Float32Array>
  /** Of such a table, the largest size in it, and the rows that the largest values stand in. */
  extent?: { peak: number, largest: number[] }
  /** It stands for a large one, in the size of a stamp. */
  isStamp?: boolean
}

/** Some rows of a table, side by side, and what is the largest in all of it. */
export interface SomeRows {
  rows: Float32Array
  extent: { peak: number, largest: number[] }
}

/** How a token came of shorter ones by byte-pair encoding. */
export interface TokenMerge {
  pieces: string[]
  at: number
  rank: number
  count?: number
  token: string
}

/** What a tokenizer that searches for pieces has looked at in each word of a text. */
export interface Cut {
  type: string
  words: ExplainedWord[]
}

/** A text while pairs are learned from it: its words in tokens, the most frequent pairs, and which becomes one next. */
export interface Learned {
  count: number
  words: string[][]
  pairs: { pair: [string, string], count: number }[]
  merge: { pair: [string, string], token: string, count: number } | null
}

/** A sentence in a language and the tokens that it takes. */
export interface Costly {
  lang: string
  text: string
  bytes: number
  tokens: string[]
}

/** A syllable of a text and the tokens that hold it, each with the bytes of it that it has, where tokens are bytes. */
export interface Syllable {
  syllable: string
  pieces: { token: string, id: number, share: [number, number] | null }[]
}

/** The syllables of a text, or of an example where it has none. */
export interface Hangul {
  isExample: boolean
  syllables: Syllable[]
}

/** Text that goes into a model or comes out of it; everything in it is by sentence. */
export interface Stream {
  texts: string[]
  tokens: string[][]
  ids: number[][]
  vocabulary: string[]
  padding: boolean[][]
  lengths: number[]
  isAnswer?: boolean
  isBatch?: boolean
  /** By id. */
  merges?: Record<number, TokenMerge[]>
  cut?: Cut
  hangul?: Hangul
  languages?: Costly[]
}

/** An answer: how it was chosen, each token of it, and the rows of the logits it was chosen from. */
export interface Decoding {
  kind: string
  tree: Branch[] | null
  best: number | null
  /** Of the scores of words, those that the steps were chosen from. */
  rows: number[]
  /** How many tokens lie before the first that there are scores of; 0 where it is not said. */
  first?: number
  steps: { id: number, token: string, draw: number | null }[]
}

/**
 * A text of which only some tokens are read: the model knows no more places, there is no memory, the page takes no more,
 * or the reader has set so many.
 */
export interface Shortened {
  read: number
  of: number
  by: 'places' | 'memory' | 'page' | 'setting'
}

/** The curve of an activation. */
export interface Curve {
  x: Float32Array
  y: Float32Array
}

/** What a model says of its run besides the numbers. */
/** Layers that keep their matrices of attention, of how many; bytes that those of all would take, and that there are. */
export interface Keeping {
  layers: number[]
  of: number
  total: number
  room: number
}

export interface Facts {
  settings: Settings
  hints: { mask?: string }
  /** Tensors that an answer is chosen from. */
  ends?: string[]
  /** What stood in weights that edits have overwritten, by `name:index`. */
  before?: Map<string, number>
  isTrained?: boolean
  /** Trained models may have tensors that are not. */
  drawn?: string[]
  smoothing?: Record<string, unknown> | null
  /** How a model was built whose weights come from the theatre. */
  shape?: Record<string, any>
  decoding?: Decoding
  /** Loss of the right answer, whatever the model wrote; null where none is known. */
  trueLoss?: number | null
  /** Of a twin that reads another run's answer: what it would have written by itself. */
  own?: Decoding
  /** The row of an attention that tells most. */
  focus?: { of: string, row: number }
  /** Whether its model can be taken along as a file. */
  isTakeable?: boolean
  /** Whether no script in PyTorch can be made of it: its forward cannot be written once. */
  unscripted?: boolean
  /** Whether it can be as a folder, too, that Hugging Face's classes read. */
  hasFiles?: boolean
  /** What of the reader's texts is left out, by field. */
  cut?: { text?: Shortened, target?: Shortened }
  /** Where not all matrices of attention fit into memory: the layers that keep theirs. */
  keeping?: Keeping
  /** Milliseconds that it took, its answer included. */
  took?: number
  brought?: { type: string, serial: number, broken: { count: number, first: string } | null }
  order?: number[]
  times?: Record<string, number>
  /** Of models that are asked past the length they were trained on: that length. */
  beyond?: { trained: number }
}

/** How a model goes on with its answer token by token; the worker asks it again for the same one. */
export interface Going {
  model: { namedModules: () => Iterable<readonly [string, any]> }
  /** All that it reads. */
  ids: number[]
  /** What is read of another text is read once: then the logits of some tokens, with what a cache holds before them. */
  begin: () => (ids: number[], cache: Cache | null) => LibraryTensor
}

/** A run in the worker, where it is alive, with what its model says of it. */
/** Files for Hugging Face's classes, and what their folder is called. */
export interface Folder {
  name: string
  content: Record<string, string | Uint8Array>
}

export interface Made extends Facts {
  run: LibraryRun
  going?: Going
  /** What can be taken out of the page: a model and what it was called with; the files it has at Hugging Face. */
  taken?: {
    model: any, inputs: Record<string, number[][]>
    files?: () => Folder | Promise<Folder>
  }
}

/** What stays the same while the reader only types. */
export interface Structure {
  described: Described[]
  steps: Step[]
  calls: Called[]
  aliases: ReadonlyMap<string, string>
}

/** What is told of a run as it is, in the worker and on the page. */
export interface RunReport {
  signature: string
  streams: Record<string, Stream>
  passes: Pass[]
  unusedEdits: LibraryRun['unusedEdits']
  loss: number
  hasLoss: boolean
  /** What gradients begin at. */
  end: string | null
}

/** What the worker sends of a run; no structure where the page knows it already. */
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
  /** The settings that were asked for, by which an older run is told from the one to come. */
  asked?: Settings
}

/** What the worker tells of a cell: how it was made, or why there is nothing to tell, and where it goes on. */
export interface Told extends Omit<Explanation, 'sources'> {
  sources: Marks['sources']
  /** How many terms there are, where only some were sent, each with its place. */
  count?: number
  none?: 'still' | 'aside' | 'unkept'
  feeds: string[]
  differentiable: boolean
}

// Rooms and stages ---------------------------------------------------------------------------------------------------

/** A place in a run where one idea is shown. */
export interface Room {
  /** As it stands in a link. */
  id: string
  /** What draws it. */
  stage: string
  /** The key of its texts. */
  words: string
  parts: Parts
  /** At home here; the first flows on. */
  tensors: string[]
  /** 'encoder', 'decoder' or 'model'. */
  tower?: string
  layer?: number
  /** The group it belongs to on the map. */
  block: string
  /** While rooms are made: the tensor whose block it shares. */
  blockOf?: string
  /** The text it is about. */
  stream?: string
  /** Whether its picture hangs in the whole house. */
  isFloor?: boolean
  /** Whether the way from room to room leads through it. */
  isOnTour?: boolean
  /** Ids of the rooms whose tensors flow into its own. */
  from: string[]
  /** If they are not those of the stage. */
  controls?: readonly string[]
  /** What its numbers depend on, if that is not every setting. */
  settings?: readonly string[]
  /** The cell that is taken apart first, where one tells most. */
  opening?: Cell
  /** Rooms of notebooks that compute the same. */
  notebooks?: { id: string, words: string }[]
  /** What stands beside the advice to try something: 'without' unless said. */
  aside?: string
}

/** The parts of a projection: what went in, the rows of the weight that were used, what came out. */
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

/**
 * What a stage has to know: names of tensors by the part they play, and a few facts. Which of them there are is between
 * the stage and the rooms that it draws.
 */
export type Parts = Record<string, any>

/** What is looked at, and how: the state as far as the run has it. */
export interface View extends Settings, Omit<Looked, 'room'> {
  room: Room
  rooms: Room[]
  /** What hangs for a room on the map and in the house. */
  picture: (room: Room, more?: object) => Picture | null
}

/** A matrix and the scale of its colours. */
export interface Picture {
  part: Pick<Slice, 'rows' | 'cols' | 'values'>
  domain: Domain
}

/** Which cells of tensors are marked. */
export interface Marks {
  current: Cell | null
  pinned: boolean
  /** Cells; one with a count stands for so many along an axis of its tensor, from the beginning. */
  sources: (Cell & { axis?: number, count?: number })[]
  isAsked?: boolean
}

/** A mounted stage. */
export interface Mounted<Data> {
  update: (next: Data) => void
  mark: (marks: Marks) => void
  destroy: () => void
}

/** How a stage is mounted whose `data` shows this of a run. */
export type Mount<Data extends (...args: never[]) => unknown> =
  (container: HTMLElement, context: Context) => Mounted<ReturnType<Data>>

/** A module of `stages`: what it shows of a run, its stamp, and the figure. */
export interface Stage {
  id: string
  controls: readonly string[]
  pickers: readonly string[]
  data: (run: Run, view: View) => object
  picture: (run: Run, view: View) => Picture | null
  mount: (container: HTMLElement, context: Context) => Mounted<any>
}

/** What the parts of the page have of it. */
export interface Context {
  t: Translate
  get: () => State
  set: (patch: Patch, history?: 'push' | 'replace') => void
  /** One of the worker's questions. */
  ask: Ask
  run: () => Run | null
  rooms: () => Room[]
  enter: (room: string) => void
  href: (room: string) => string
  link: (patch?: Patch) => string
  look: (cell: Cell) => void
  press: (cell: Cell | null) => void
  visit: (cell: Cell) => void
  edit: (cell: Cell) => void
  leave: () => void
  theme: () => Theme
  width: () => number
  language: () => Language
  /** Tokens of an answer as text. */
  written: (tokens: string[]) => string
  /** What the figure is called, and where it is from, in a line. */
  heading: () => string
  origin: (named?: string) => string
  /** The run with all its values. */
  whole: (run: Run) => Promise<Run>
  /** Computes anew, though nothing has been set. */
  again: () => void
  isCurrent: () => boolean
  onOneScale: (data: object, run: Run, view: View) => object
  showControls: () => void
  /** All words and rooms are here; at the opening they may not be. */
  ready: () => Promise<void>
  fails: (error: unknown) => void
}

/** What would be told at a place if the stream ended at a point: the likeliest words, and how likely the chosen one. */
export interface Early {
  words: number[]
  shares: number[]
  chosen: number
}

/** What of a run an answer is read from: rows of logits and the tokens there; without an answer, what comes out. */
export interface What {
  logits?: string
  out: string
  rows: number[]
  ids: number[]
}

/** What a run took: by the tensors it made, and trained numbers by the tensors they stand in. */
export interface Costs {
  made: { name: string, bytes: number, multiplyAdds: number }[]
  parameters: { name: string, size: number }[]
}

/** A step of an answer, with keys and values kept since the steps before and with all of it computed again. */
export interface Twice {
  multiplyAdds: { kept: number, whole: number }
  /** That the kept keys and values take: of what was written, and of another text that was read. */
  bytes: { own: number, read: number }
  /** How many numbers there are both ways, and how many of them have the same bits. */
  compared: number
  same: number
}

/** How much each head looks where, in a text of so many tokens that stands there twice: by layer, head and place. */
export interface Habits {
  count: number
  layers: number[][][]
}

/** Where rows of a table lie along two directions, and how much of their variance each of these has. */
export interface Plane {
  x: Float32Array
  y: Float32Array
  shares: number[]
}

/** What the worker is asked, and what it answers. */
export interface Questions {
  without: [{ state: object, edits: Edit[], what: What, base?: Float32Array }, Float32Array]
  early: [{ points: { name: string, last: Last[] }[], rows: number[], ids: number[] }, Early[][]]
  lengths: [{ names: string[] }, Float32Array[]]
  costs: [object, Costs]
  added: [{ x: string, weight: string, heads: number, isTwin?: boolean }, {
    pictures: { rows: number, cols: number, values: Float32Array }[], lengths: Float32Array, peak: number
  }[]]
  nearest: [{ name: string, index: number[], table: string, isTwin?: boolean }, { row: number, cosine: number }[]]
  twice: [{ read: number, row: number, isTwin?: boolean }, Twice | null]
  habits: [object, Habits | null]
  plane: [{ name: string, rows: number[] | null, isTwin?: boolean }, Plane]
  learn: [{ text: string, step: number }, Learned]
  explain: [{ cell: Cell }, Told | null]
  firstUse: [{ cell: Cell, target: string }, Cell | null]
  recipes: [{ names: string[] }, Recipe[]]
  nudge: [{ settings: object, cell: Cell, value: number }, { high: number, low: number, slope: number }]
  read: [{ names: string[], isTwin: boolean }, {
    values: Map<string, Float32Array>
    /** The largest finite size in each. */
    peaks: Map<string, number>
  }]
  rows: [{ name: string, rows: number[], isTwin: boolean }, SomeRows]
  stamps: [{ name: string, isTwin: boolean }, { values: Float32Array, peak: number }]
  steps: [object, Step[]]
  gradients: [{ isTwin?: boolean, names?: string[] }, Map<string, Float32Array>]
  twin: [{ settings: object }, RunMessage]
  inspect: [{ files: Record<string, Blob> }, Inspection]
  open: [{ files?: Record<string, Blob> }, { type: string }]
  stop: [object, void]
  finish: [{ isSuperseded?: boolean }, void]
  remember: [object, boolean]
  remembered: [object, { names: string[], bytes: number } | null]
  forget: [object, unknown]
  take: [{ format: 'safetensors' | 'onnx' | 'py' | 'zip' }, Uint8Array | Uint8Array[] | string]
  lend: [{ model: string, file: Uint8Array }, void]
}
export type Ask = <Type extends keyof Questions>(
  type: Type, details: Questions[Type][0], tell?: (progress: { done: number, total: number }) => void
) => Promise<Questions[Type][1]>

/** What the files hold that the reader has brought. */
export type Inspection = Awaited<ReturnType<Library['models']['inspect']>> & {
  names: string[]
  /** Bytes that a tab can address. */
  room: number
  /** Of the theatre's, in place of a model: its link, its step, its file. */
  training: { training: string, step: number, name: string } | null
}

/** The general rule of a tensor, and what the symbols of it stand for. */
export interface Recipe extends Pick<Explanation, 'name' | 'op' | 'output' | 'parameters' | 'formula' | 'formulas' | 'note'> {
  symbols: { symbol: string, tensor: string, start: number[] }[]
}

// Elements -----------------------------------------------------------------------------------------------------------

type Listener<Type extends Event, Element> = (event: Type & { currentTarget: Element, target: Element }) => unknown

/** What `h` sets on an element: listeners, a style as an object, everything else as attributes. */
export interface Props<Element = HTMLElement> {
  onclick?: Listener<MouseEvent, Element>
  onkeydown?: Listener<KeyboardEvent, Element>
  oninput?: Listener<Event, Element>
  onchange?: Listener<Event, Element>
  onsubmit?: Listener<SubmitEvent, Element>
  style?: Record<string, string>
  [attribute: string]: unknown
}

/** What `h` puts into an element: lists of it as deep as they come, and nothing for nothing. */
export type Child = Node | string | number | false | null | undefined | readonly Child[]

/** An element that `h` has made: what it was given as children is in it. */
export type Built<Element> = Contents & Element
interface Contents {
  firstChild: Built<HTMLElement>
  lastChild: Built<HTMLElement>
  children: HTMLCollectionOf<Built<HTMLElement>>
}

declare module 'chart.js' {
  /** Our own: the stretch that a sentence takes, and a line at one place. */
  interface PluginOptionsByType<TType> {
    stretch?: { until?: number, colour?: string }
    place?: { at?: number | null, mark?: number | null, colour?: string, markColour?: string }
  }
}
