// Small trainings for the tests of the training page.
import { defaultsOf } from '../../src/training/settings.js'

/** Small settings in which everything that uses random numbers is on. */
const SMALL = { steps: 30, warmUp: 5, batch: 8, dropout: 0.1, layers: 1, dModel: 16, dimFeedforward: 16, heads: 2 }
export const smallSettings = (task, changes) => ({ ...defaultsOf(task), ...SMALL, ...changes })
export const trainSteps = (session, steps) => Array.from({ length: steps }, () => session.step().loss)
export const floatBits = values => Array.from(new Uint32Array(Float32Array.from(values).buffer))
