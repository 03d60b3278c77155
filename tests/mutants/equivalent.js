// Changes that no test can see, by file, line and what is exchanged, each with its reason.
import c from './equivalent/c.js'
import ops from './equivalent/c_ops.js'
import text from './equivalent/c_text.js'
import js from './equivalent/js.js'

/** @type {Record<string, string>} */
export const EQUIVALENT = { ...c, ...ops, ...text, ...js }
