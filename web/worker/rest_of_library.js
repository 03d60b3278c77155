/**
 * The build of the page fetches the parts of the library that a first figure does not call when they are needed: see
 * web/rest_of_library.js. Elsewhere the library is whole.
 */

export const loadRestOfLibrary = async () => {}

/** Only what explains values. */
export const loadExplanations = async () => {}

/** Only the activation GELU. */
export const loadGelu = async () => {}
