// Python's str.split(): the parts between runs of white space.
import { space } from './unicode.js'

const piece = new RegExp(`[^${space}]+`, 'gu')

export const whitespace = text => text.toWellFormed().match(piece) ?? []
