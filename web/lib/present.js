/** The slide mode: the figure first and as wide as the window. */

const ATTRIBUTE = 'data-present'

export const isPresenting = () => document.documentElement.hasAttribute(ATTRIBUTE)

/** Since everything moves, it scrolls to the title. @param {boolean} [isOn] */
export function togglePresenting(isOn) {
  document.documentElement.toggleAttribute(ATTRIBUTE, isOn)
  scrollTo({ top: 0, behavior: 'instant' })
}
