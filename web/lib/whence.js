/** Where a figure is from, for a picture that leaves the page: room, head, text, changes, and the setting of a twin. */

const isText = ({ nodeType }) => nodeType === 3
const chosen = (name) => document.querySelector(`.stage [data-picker="${name}"] input:checked`)?.value

/**
 * One line of words.
 * @param {{ t: Function, get(): object, run?: () => object | null, named?: () => string,
 *   changes?: () => string[] }} surroundings
 */
export function whence({ t, get, run, named, changes }) {
  const eyebrow = document.querySelector('.eyebrow')?.childNodes ?? []
  const room = [...eyebrow].filter(isText).map(({ textContent }) => textContent).join('').trim()
  const head = chosen('head')
  const { model, source, sentence } = get()
  const text = model === 'sentences' ? run?.()?.texts[chosen('sentence') ?? sentence] : run?.()?.texts[0] ?? source
  return [room, head && `${t('frame.head')} ${head}`, text, ...changes?.() ?? [], named?.()].filter(Boolean).join(' · ')
}
