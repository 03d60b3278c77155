/// <reference lib="dom" />
/** The elements, from `glassformer/elements`; importing the module defines them. */

export type FigureTheme = 'auto' | 'light' | 'dark'
export type FigureDepth = 'story' | 'numbers' | 'formula' | 'code'

/** What `glass-run` says: the settings of the run, its rooms, and the model's answer, where it writes one. */
export interface RunDetail {
  model: string
  settings: Record<string, unknown>
  rooms: string[]
  answer: string | null
}

/** What `glass-answer` says. */
export interface AnswerDetail {
  answer: string
  tokens: string[]
}

/** What `glass-select` says: a cell of a tensor, its value (null for a gradient), and the tokens or indices at it. */
export interface SelectDetail {
  name: string
  index: number[]
  value: number | null
  labels: (string | number)[]
}

/** What a figure and a model have in common. */
interface RoomProperties {
  model: string | null
  room: string | null
  input: string | null
  settings: string | null
  head: string | number | null
  theme: FigureTheme | null
  depth: FigureDepth | null
  /** The part of a link to the page after `#`. */
  state: string | null
  /** What is displayed now, as the part of a link after `#`. */
  readonly link: string
}

/** `<glass-figure>`: one room of a model, with its numbers. Its properties reflect its attributes. */
export interface GlassFigure extends RoomProperties {}
export class GlassFigure extends HTMLElement {
  controls: boolean
}

/** What `glass-step` says. */
export interface StepDetail {
  lesson: string
  step: string
  /** Of the step, from 1. */
  number: number
  count: number
}

/** What `glass-answer` of a lesson says: the id of an option, or a number. */
export interface LessonAnswerDetail {
  lesson: string
  step: string
  answer: string | number
  isRight: boolean
}

/** What `glass-finish` says: how many questions were answered, and how many of them rightly at once. */
export interface FinishDetail {
  lesson: string
  questions: number
  right: number
}

/** `<glass-lesson>`: a lesson of the course, with its figures and questions. Its properties reflect its attributes. */
export class GlassLesson extends HTMLElement {
  lesson: string | null
  /** From 1. */
  step: string | number | null
  input: string | null
  theme: FigureTheme | null
  depth: FigureDepth | null
  /** What is displayed now, as the part of a link after `#`. */
  readonly link: string
}

/** What `glass-select` of a map says: the stage that was pressed. */
export interface StageDetail {
  /** The id of its room. */
  room: string
  /** The kind of the room. */
  stage: string
  name: string
}

/** `<glass-model>`: the map of a model, and below it the room that is pressed there. */
export interface GlassModel extends RoomProperties {}
export class GlassModel extends HTMLElement {}

/** What `glass-step` of a training says. */
export interface TrainingStepDetail {
  task: string
  step: number
  total: number
  /** Null before the first step. */
  loss: number | null
  isPlaying: boolean
}

/** What `glass-answer` of a training says. */
export interface TrainingAnswerDetail {
  sentence: string
  answer: string
  step: number
}

/** `<glass-training>`: a model that learns in the reader's browser. Its properties reflect its attributes. */
export class GlassTraining extends HTMLElement {
  task: string | null
  settings: string | null
  input: string | null
  theme: FigureTheme | null
  play(): void
  pause(): void
  step(): void
  /** What is displayed now, as the part of a link after `#`. */
  readonly link: string
}

/** Sets where the files beside this module are, when a build tool has moved the module away from them. */
export function configure(options: { folder: string | URL }): void

/** The part of the library that a figure needs, and a run of it. */
type Library = Awaited<ReturnType<typeof import('glassformer').load>>

/**
 * Displays a run of the caller's own modules as a live figure. No worker computes anything; the run stays with the
 * caller, who disposes it after the figure.
 */
export function figure(element: Element, run: ReturnType<Library['observe']>, options: {
  /** What load() returned. */
  gf: Library
  /** The id or the kind of a room; default: the house. */
  room?: string
  head?: number
  depth?: FigureDepth
  theme?: FigureTheme
  lang?: string
  controls?: boolean
}): GlassFigure

declare global {
  interface HTMLElementTagNameMap {
    'glass-figure': GlassFigure
    'glass-lesson': GlassLesson
    'glass-model': GlassModel
    'glass-training': GlassTraining
  }
  interface HTMLElementEventMap {
    'glass-run': CustomEvent<RunDetail>
    'glass-answer': CustomEvent<AnswerDetail | LessonAnswerDetail | TrainingAnswerDetail>
    'glass-step': CustomEvent<StepDetail | TrainingStepDetail>
    'glass-finish': CustomEvent<FinishDetail>
    'glass-select': CustomEvent<SelectDetail | StageDetail>
  }
}
