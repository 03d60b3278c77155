/**
 * The worker of the elements: it computes all figures of a page. Each training has one of its own, which is the same
 * script by another name, so that only what a training has beyond a figure is fetched.
 */

import { answerCall } from '../lib/rpc.js'
import { answer } from '../worker/index.js'

/** @param {any} data */
const answerTraining = data => import('../theatre/worker.js').then(
  training => training.answer(data), error => answerCall(() => { throw error }, data))

export function answerMessages() {
  self.onmessage = ({ data }) => (self.name === 'training' ? answerTraining(data) : answer(data))
}
