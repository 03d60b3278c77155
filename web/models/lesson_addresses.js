/** Addresses of lessons that have moved: old links lead to the step that shows the same today. */

/** The lesson that has taken over the steps of another, from a step on, counted from 0. */
const JOINED = /** @type {Record<string, { lesson: string, from: number }>} */ ({
  block: { lesson: 'feed_forward', from: 3 }, cache: { lesson: 'modern', from: 4 }
})
/** Lessons that once were about a sentence with a gap, and now about a date. */
const REWRITTEN = ['tokens', 'vectors', 'query', 'softmax', 'heads']
const FORMER_MODEL = 'particles'

/** The query of a link, in today's words. @param {URLSearchParams} query */
export function currentAddress(query) {
  const name = query.get('lesson') ?? '', joined = JOINED[name], isFormer = query.get('model') === FORMER_MODEL
  const atKey = query.has('at') ? 'at' : 'step', at = Number(query.get(atKey) ?? 0)
  /** A short address of a step, counted from 0. @param {string} lesson @param {number} number */
  const address = (lesson, number) => new URLSearchParams([['lesson', lesson], ['at', String(number)],
    ...['language', 'theme'].flatMap(key => (query.has(key) ? [[key, query.get(key) ?? '']] : []))])
  const number = Math.max(0, atKey === 'at' ? at : at - 1)
  if (joined) return address(joined.lesson, joined.from + number)
  if (isFormer && REWRITTEN.includes(name)) return address(name, number)
  if (isFormer && name === 'attention') query.set('lesson', 'gap')
  return query
}
