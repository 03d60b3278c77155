/** What the page has been told of a training so far. */

const empty = () => ({ loss: [], rate: [], norm: [], norms: [], looks: [], answers: [], done: 0 })

/** Answers that are kept to be read again: each further from the one before than all before. */
const MOST_ANSWERS = 8

/** The answers at steps that are about evenly far apart when steps are counted in doublings. */
function thinned(answers) {
  if (answers.length <= MOST_ANSWERS) return answers
  const gap = i => Math.log1p(answers[i + 1].step) - Math.log1p(answers[i - 1].step)
  const inner = Array.from({ length: answers.length - 2 }, (_, i) => i + 1)
  const least = inner.reduce((best, i) => (gap(i) < gap(best) ? i : best))
  return answers.filter((_, i) => i !== least)
}

/** A record that grows by reports. */
export function createRecord() {
  let seen = empty()
  return {
    get: () => seen,
    clear: () => { seen = empty() },
    /** Forgets what was answered to another sentence. */
    clearAnswers: () => { seen.answers = [] },
    /** @param {object} news as `report` has it */
    add(news) {
      for (const name of ['loss', 'rate', 'norm', 'norms', 'looks']) seen[name].push(...news[name])
      seen.done = news.done
      if (!news.answer) return
      const answers = seen.answers.filter(({ step }) => step !== news.done)
      const known = [...answers, { step: news.done, text: news.answer.text }].sort((a, b) => a.step - b.step)
      seen.answers = thinned(known)
    }
  }
}
