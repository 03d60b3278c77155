// Measures the works that need nothing but an engine in a page: see engines.js.
import { inPages } from '../works/kernels.js'
import { measureCase } from './measure_case.js'

/** Starts a measurement, which sets `report` when it is done. @param {string} name @param {number} seconds */
globalThis.begin = (name, seconds) => {
  measureCase(inPages.find(work => work.name === name), seconds).then(report => { globalThis.report = report })
}
