/** The search of the reference, and its theme. Names match first; without a match, texts that mention the query. */

/** @param {string} text */
const plain = text => text.toLowerCase().replace(/[\s_]+/g, '').replace(/^(torch\.)?(nn\.)?(functional\.)?/, '')
/** Queries may use PyTorch's spelling: cross_entropy, nn.LayerNorm. @param {string} text */
const flat = text => text.toLowerCase().replace(/[\s_]+/g, '')

/** @type {HTMLElement[]} */
const articles = [...document.querySelectorAll('article')]
const entries = articles.map(element => (
  { element, name: flat(element.dataset.name ?? ''), text: flat(element.textContent ?? '') }))
const sections = [...document.querySelectorAll('main > section')]
const [input, found, nothing, theme] = ['search', 'found', 'nothing', 'theme'].map(
  id => /** @type {any} */ (document.getElementById(id)))

/** A query without dots is compared with the last part of a name. @param {string} name @param {string} wanted */
const isNamed = (name, wanted) => (wanted.includes('.') ? name : name.slice(name.lastIndexOf('.') + 1)).includes(wanted)

/** @param {string} name @param {string} wanted */
const isExact = (name, wanted) => name === wanted || name.endsWith(`.${wanted}`)

/** Hides the entries that do not match; gives the others, those of exactly this name first. @param {string} typed */
function search(typed) {
  const wanted = plain(typed), named = entries.filter(({ name }) => isNamed(name, wanted))
  named.sort((a, b) => Number(isExact(b.name, wanted)) - Number(isExact(a.name, wanted)))
  const mentioning = () => entries.filter(({ text }) => text.includes(flat(typed)))
  const matching = !typed.trim() ? entries.filter(({ element }) => !element.matches('.torch-name')) : named.length ? named : mentioning()
  const shown = new Set(matching.flatMap(({ element }) => [element, element.parentElement?.closest('.entry')]))
  for (const { element } of entries) {
    const inside = element.parentElement?.closest('.entry')
    element.hidden = !shown.has(element) && !(inside && matching.some(item => item.element === inside))
  }
  for (const section of sections) section.toggleAttribute('hidden', !section.querySelector('.entry:not([hidden])'))
  nothing.hidden = matching.length > 0
  found.textContent = typed.trim() ? `${matching.length} ${named.length ? 'by name' : 'that mention it'}` : ''
  return matching
}

input.addEventListener('input', () => {
  const [first] = search(input.value)
  if (first && isExact(first.name, plain(input.value))) first.element.scrollIntoView()
  else scrollTo(0, 0)
})
input.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
  const [first] = event.key === 'Enter' ? search(input.value) : []
  if (first) location.hash = first.element.id
})

/** Displays everything again. */
function clear() {
  input.value = ''
  search('')
}
addEventListener('keydown', event => {
  if (event.key === 'Escape') clear()
  if (event.key !== '/' || event.target === input) return
  event.preventDefault()
  input.focus()
})
// A link leads to its entry, even while a search hides it.
addEventListener('hashchange', () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target?.closest('[hidden]')) return
  clear()
  target.scrollIntoView()
})

const THEMES = ['auto', 'light', 'dark']
theme.addEventListener('click', () => {
  const root = document.documentElement, at = THEMES.indexOf(root.dataset.theme ?? 'auto')
  const next = root.dataset.theme = THEMES[(at + 1) % THEMES.length]
  theme.querySelector('span').textContent = next
  theme.setAttribute('aria-label', `Theme: ${next}`)
})
if (matchMedia('(max-width: 899px)').matches) document.querySelector('nav .all')?.removeAttribute('open')
