/** Renders what `collect.js` has collected as HTML that can be read without scripts. */

import { split } from './examples.js'

/** @import { Entry, Field, Param, Section } from './collect.js' */

/** @type {Record<string, string>} */
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** @param {string} text */
const safe = text => text.replace(/[&<>"]/g, sign => ESCAPED[sign])
/** @param {string} text */
const code = text => `<code>${safe(text)}</code>`

/** Code in a comment: between backticks, or a name of PyTorch's or of the library's. */
const CODE = /`([^`]+)`|\b((?:torch|gf|F|nn)\.[\w.]*\w(?:\([^()]*\))?)/g

/** A comment as HTML; names with an entry become links. @param {string} text @param {Set<string>} ids of entries */
function prose(text, ids) {
  const whole = text.replace(/\s*\n\s*/g, ' ')
  let at = 0, made = ''
  for (const found of whole.matchAll(CODE)) {
    const written = found[1] ?? found[2], id = written.replace(/\(.*$/, '').replace(/^gf\.functional\./, 'F.')
    made += safe(whole.slice(at, found.index)) + (ids.has(id) ? `<a href="#${id}">${code(written)}</a>` : code(written))
    at = /** @type {number} */ (found.index) + found[0].length
  }
  const all = made + safe(whole.slice(at)), isName = all.startsWith('<') || /^\w+[:=(]/.test(all)
  return isName ? all : all.charAt(0).toUpperCase() + all.slice(1)
}

/** @param {Field} field @param {Set<string>} ids @param {boolean} [isField] of an options object */
function row({ name, type, text, isOptional }, ids, isField) {
  const optional = isOptional ? ' <small>optional</small>' : ''
  return `<tr${isField ? ' class="is-field"' : ''}><th scope="row">${code(name)}${optional}</th>` +
    `<td>${code(type)}</td><td>${prose(text, ids)}</td></tr>`
}

/** @param {Param[]} params @param {Set<string>} ids */
function table(params, ids) {
  const rows = params.flatMap(param => [
    row(param.fields.length ? { ...param, type: '{ … }' } : param, ids), ...param.fields.map(field => row(field, ids, true))])
  return rows.length ? `<table><tbody>${rows.join('')}</tbody></table>` : ''
}

/** @param {string} text */
const example = text => `<pre class="example" tabindex="0">${text.split('\n').map(line => {
  const { code: own, expected } = split(line)
  return safe(own) + (expected ? `<i>${own ? '   ' : ''}// ${safe(expected)}</i>` : '')
}).join('\n')}</pre>`

/** @param {string} what @param {string} text */
const fact = (what, text) => `<p class="fact"><b>${what}</b> ${text}</p>`

/**
 * @param {Entry} entry @param {Set<string>} ids @param {number} [level] of its heading
 * @returns {string}
 */
function entryHtml(entry, ids, level = 3) {
  const { id, kind, call, text, order, params, returns, errors, examples, source, members } = entry
  const isCalled = kind !== 'type' && kind !== 'value', type = returns ? code(returns.type) : ''
  const parts = [
    `<h${level}><a href="#${safe(id)}">${safe(id)}</a> <small>${kind}</small></h${level}>`,
    isCalled ? `<pre class="call" tabindex="0">${safe(call)}</pre>` : '', text ? `<p>${prose(text, ids)}</p>` : '',
    table(params, ids), order ? fact('by position', code(order)) : '',
    returns ? fact(isCalled ? 'returns' : 'is', `${type} ${prose(returns.text, ids)}`) : '',
    ...errors.map(error => fact('throws', prose(error.replace(/^\{[^}]*\}\s*/, ''), ids))), ...examples.map(example),
    source ? `<p class="source">${safe(source)}</p>` : '', ...members.map(member => entryHtml(member, ids, level + 1))
  ]
  return `<article id="${safe(id)}" class="entry" data-name="${safe(id)}">${parts.join('')}</article>\n`
}

/** @param {Section} section */
const links = ({ id, title, entries }) => `<details><summary>${safe(title)} ` +
  `<small>${entries.length}</small></summary><ul><li><a href="#section-${id}">all</a></li>${entries.map(entry => (
    `<li><a href="#${safe(entry.id)}">${safe(entry.name)}</a></li>`)).join('')}</ul></details>`

/** @param {Section} section @param {Set<string>} ids */
const sectionHtml = ({ id, title, entries }, ids) => `<section aria-labelledby="section-${id}">` +
  `<h2 id="section-${id}">${safe(title)}</h2>\n${entries.map(entry => entryHtml(entry, ids)).join('')}</section>`

/**
 * PyTorch's names that are spelled otherwise here or missing: only a search shows them.
 * @param {Record<string, Record<string, [here: string, note: string] | null>>} names by part of PyTorch
 */
const torchNamesHtml = names => `<section><h2>Names of PyTorch</h2>\n${Object.entries(names).flatMap(([part, list]) =>
  Object.entries(list).map(([name, found]) => `<article class="entry torch-name" data-name="${part}.${name}" hidden>` +
    `<p>${code(`${part}.${name}`)}: ${found ? `write ${code(found[0])}${found[1] ? `, ${prose(found[1], new Set())}` : ''}` : 'not here'}</p></article>`))
  .join('\n')}</section>`

/**
 * @param {Section[]} sections @param {string} shell reference.html, with places for what is made here
 * @param {Parameters<typeof torchNamesHtml>[0]} torchNames
 */
export function pageOf(sections, shell, torchNames) {
  const all = sections.flatMap(({ entries }) => entries.flatMap(entry => [entry, ...entry.members]))
  const ids = new Set(all.map(({ id }) => id))
  return shell.replace('<!-- links -->', () => sections.map(links).join('\n'))
    .replace('<!-- sections -->', () => [...sections.map(section => sectionHtml(section, ids)), torchNamesHtml(torchNames)].join('\n'))
}
