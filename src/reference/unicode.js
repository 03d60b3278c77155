// Python's \w, \d and \s as contents of JavaScript character classes, from the golden ranges.
import { readFileSync } from 'node:fs'

const ranges = JSON.parse(readFileSync(new URL('../../tests/golden/unicode.json', import.meta.url), 'utf8'))
const escape = code => `\\u{${code.toString(16)}}`
const inside = name => ranges[name].map(([first, last]) => `${escape(first)}-${escape(last)}`).join('')

export const word = inside('word')
export const digit = inside('digit')
export const space = inside('space')
