// str.split(): everything between stretches of Python's white space.
import { space } from './unicode.js'

const piece = new RegExp(`[^${space}]+`, 'gu')

export const whitespace = text => text.toWellFormed().match(piece) ?? []
