/** The colors of the theme, and which theme is on. */

export { PALETTES } from '../lib/palettes.js'

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Light or dark: the reader's choice, or else the system's. @param {'auto' | 'light' | 'dark'} theme */
export const resolveMode = theme => (theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme)

/** Calls back when the system's theme changes. @param {() => void} listener */
export const listenToSystemTheme = listener => dark.addEventListener('change', listener)
