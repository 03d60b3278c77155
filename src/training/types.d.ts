/** The types of settings, shared by the page and the command line. */

/** The value of a setting or a field. */
export type Value = string | number | boolean

/** What determines a run: a model, its settings and the texts of its fields. Each model has some of them. */
export interface Settings {
  model: string
  edits: any[]
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

/** A problem, as the key of a text and its values. */
export interface Problem {
  key: string
  values?: Record<string, unknown>
}

/** A setting of a model, and its control. */
export interface Setting {
  default: unknown
  /** The kind of control: a ladder is a slider over given steps; `link` has no control, only links set it. */
  kind: 'choice' | 'number' | 'slider' | 'ladder' | 'link'
  /** Of a choice: values by the key of their label. */
  options?: Record<string, unknown>
  /** Of a choice: a value that is set elsewhere and cannot be selected. */
  hidden?: unknown
  /** Of a choice: whether a value can be selected in the current state. */
  fits?: (value: unknown, state: Settings) => boolean
  /** Of a number: the steps of its buttons and of comparisons. */
  ladder?: (state: Settings) => number[]
  /** Of a number: the minimum and maximum, both integers. */
  limits?: [number, number]
  /** Of a slider: minimum, maximum and step. */
  range?: [number, number, number]
  /** Its problem, or null. */
  problem?: (state: Settings) => Problem | null
  /** Whether it has any effect in the current state. */
  hasEffect?: (state: Settings) => boolean
  /** Whether it is disabled, with a note on the reason. */
  isIdle?: (state: Settings) => boolean
  /** Whether its control explains what it changes. */
  isExplained?: boolean
}
