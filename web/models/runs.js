/** The `run` function of each model of the page; only the worker needs them. */

import { run as dates } from './dates/run.js'
import { run as induction } from './induction/run.js'
import { run as own } from './imported/run.js'
import { run as particles } from './particles/run.js'
import { run as positions } from './positions/run.js'
import { run as sentences } from './sentences/run.js'
import { run as stories } from './stories/run.js'
import { run as text } from './text/run.js'

/** @import { Edit, Library, ModelRun, Settings } from '../types.d.ts' */

/**
 * The run function of every model, with the page's settings, edits and the bytes of its files.
 * @type {Record<string, (gf: Library, settings: Settings, edits: Edit[], files: any[]) => ModelRun>}
 */
export const RUNS = { dates, particles, stories, induction, text, sentences, positions, own }
