/** Hides the parts of a room that a step does not need, until the reader asks for map and inspector. */

/** @param {HTMLElement} root whose attributes tell that they are asked for */
export function createHiddenParts(root) {
  const sheet = new CSSStyleSheet(), tree = /** @type {Document | ShadowRoot} */ (root.getRootNode())
  let hidden = ''
  /** @param {string} [selector] of the parts; none by default */
  return (selector = '') => {
    if (!tree.adoptedStyleSheets.includes(sheet)) tree.adoptedStyleSheets = [...tree.adoptedStyleSheets, sheet]
    if (selector === hidden) return
    hidden = selector
    sheet.replaceSync(selector && `[data-lesson]:not([data-panels]) .stage :is(${selector}) { display: none }`)
  }
}
