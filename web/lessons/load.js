/** Loads a lesson. The loaders are apart from the list, which a first visit reads. */

/** @type {Record<string, () => Promise<{ lesson: import('./index.js').Lesson }>>} */
const LOADERS = {
  learning: () => import('./learning/index.js'),
  tokens: () => import('./tokens/index.js'),
  vectors: () => import('./vectors/index.js'),
  positions: () => import('./positions/index.js'),
  query: () => import('./query/index.js'),
  softmax: () => import('./softmax/index.js'),
  attention: () => import('./attention/index.js'),
  heads: () => import('./heads/index.js'),
  mask: () => import('./mask/index.js'),
  order: () => import('./order/index.js'),
  feed_forward: () => import('./feed_forward/index.js'),
  loss: () => import('./loss/index.js'),
  sampling: () => import('./sampling/index.js'),
  gap: () => import('./gap/index.js'),
  round: () => import('./round/index.js'),
  translation: () => import('./translation/index.js'),
  kinds: () => import('./kinds/index.js'),
  modern: () => import('./modern/index.js'),
  inside: () => import('./inside/index.js'),
  break: () => import('./break/index.js'),
  hunt: () => import('./hunt/index.js'),
  induction: () => import('./induction/index.js'),
  attribution: () => import('./attribution/index.js'),
  patching: () => import('./patching/index.js'),
  grokking: () => import('./grokking/index.js'),
  large: () => import('./large/index.js')
}

/** @param {string} id */
export const loadLesson = async id => (await LOADERS[id]()).lesson
