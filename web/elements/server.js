/**
 * `glassformer/elements` in Node, where a page may be rendered before a browser opens it: no element is defined, so
 * that their tags remain as they are written.
 */

/** @param {string} name @returns {never} */
const refuse = name => {
  throw new Error(`glassformer/elements: ${name} needs a document, which Node does not have; call it in a browser`)
}

class Absent {
  constructor() {
    refuse(new.target.name)
  }
}
export class GlassFigure extends Absent {}
export class GlassLesson extends Absent {}
export class GlassModel extends Absent {}
export class GlassTraining extends Absent {}

/** Files beside the elements are not needed yet. */
export const configure = () => {}

export const figure = () => refuse('figure')
