/** Small pictures for the doors of the opening. */

import { svg } from '../lib/dom.js'

/** @type {Record<string, { lines: string[], fills?: string[] }>} lines are drawn, areas filled */
const PICTURES = {
  start: { lines: ['M6 34H58', 'M6 34V6', 'M8 30L56 10'], fills: ['M14 25h4v4h-4z', 'M28 22h4v4h-4z', 'M44 12h4v4h-4z'] },
  house: { lines: ['M8 38V18L32 6L56 18V38Z', 'M8 28H56', 'M8 18H56'], fills: ['M14 31h8v4h-8z', 'M28 21h8v4h-8z', 'M42 31h8v4h-8z'] },
  why: { lines: ['M8 6V38'], fills: ['M8 8h34v6H8z', 'M34 19h8v6h-8z', 'M34 30h20v6H34z'] },
  exercises: { lines: ['M24 8C16 8 20 22 12 22C20 22 16 36 24 36', 'M40 8C48 8 44 22 52 22C44 22 48 36 40 36'], fills: ['M26 20h4v4h-4z', 'M34 20h4v4h-4z'] },
  theatre: { lines: ['M6 6V36H58', 'M8 10C16 30 26 32 56 33', 'M8 14C20 20 26 22 56 24'] },
  bring: { lines: ['M20 22V36H44V22', 'M32 28V6', 'M26 12L32 6L38 12'] },
  positions: { lines: ['M4 22C10 2 16 2 22 22S34 42 40 22S52 2 58 22', 'M4 22H60'] },
  notebooks: { lines: ['M14 6H50V38H14Z', 'M14 6V38', 'M22 14H44', 'M22 22H44', 'M22 30H36'] }
}

/** @param {string} name */
export const createPicture = name => svg('svg', { 'class': 'door-picture', 'viewBox': '0 0 64 44', 'aria-hidden': 'true' },
  PICTURES[name].lines.map(d => svg('path', { d })), (PICTURES[name].fills ?? []).map(d => svg('path', { class: 'is-filled', d })))
