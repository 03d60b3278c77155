// The works that need nothing but an engine, in a page of their own: see engines.js.
import { kernels } from '../works/kernels.js'
import { measured } from './measured.js'

/** Begins; what comes of it stands in `report`. @param {string} name @param {number} seconds */
globalThis.begin = (name, seconds) => {
  measured(kernels.find(work => work.name === name), seconds).then(report => { globalThis.report = report })
}
