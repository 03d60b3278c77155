/**
 * Collects the reference: names, arguments, errors, examples and locations of everything the library exports, read from
 * the source and its comments alone.
 */

import ts from 'typescript'
import { parseSignature } from '../../src/js/interface/arguments.js'
import { BINARY } from '../../src/js/ops/binary.js'
import { COMPARISONS } from '../../src/js/ops/compare.js'
import { COMPOSED } from '../../src/js/ops/composed.js'
import { REDUCTIONS } from '../../src/js/ops/reduce_operations.js'
import { UNARY } from '../../src/js/ops/unary.js'
import { DATA, FORWARDS, FUNCTIONS, INIT, METHODS, MODULES, OPTIMIZERS } from '../../src/js/interface/signatures.js'
import {
  allSaid, called, checker, docOf, fieldsOf, handedTo, isInternal, modules, said, sourceOf, typeText, types
} from './source.js'

/**
 * @typedef {{ name: string, type: string, text: string, isOptional: boolean }} Field
 * @typedef {Field & { fields: Field[] }} Param
 *
 * @typedef {object} Entry
 * @property {string} id the full name: 'gf.nn.Linear', 'Tensor.at'
 * @property {string} name the last part of its name
 * @property {'function' | 'class' | 'method' | 'value' | 'type'} kind
 * @property {string} call how it is called
 * @property {string} text
 * @property {string} [order] the arguments in PyTorch's order, where options have a position, too
 * @property {Param[]} params
 * @property {{ type: string, text: string } | null} returns
 * @property {string[]} errors
 * @property {string[]} examples
 * @property {string | null} source file and line
 * @property {Entry[]} members
 *
 * @typedef {{ id: string, title: string, entries: Entry[] }} Section
 */

/** @type {Omit<Entry, 'id' | 'name' | 'kind' | 'call'>} */
const NOTHING = { text: '', params: [], returns: null, errors: [], examples: [], source: null, members: [] }

/**
 * Operations defined in tables: the formula is their documentation.
 * @type {[string, string, Record<string, { torch: string, formula: string }>][]}
 */
const TABLES = [
  ['unary', 'cell by cell', UNARY], ['composed', 'cell by cell', COMPOSED], ['binary', 'cell by cell', BINARY], ['compare', 'cell by cell', COMPARISONS],
  ['reduce', 'over the axes of dim, or over all', REDUCTIONS]
]

/** @param {string} name */
function fromTable(name) {
  const found = TABLES.find(([, , table]) => Object.hasOwn(table, name))
  if (!found) return null
  const [file, how, { [name]: { torch, formula } }] = found
  return { text: `${formula}, ${how}: ${torch}.`, source: `src/js/ops/${file}.js` }
}

/** The function that a module is made of. @param {ts.Node | undefined} node */
function madeOf(node) {
  const call = node && ts.isVariableDeclaration(node) ? node.initializer : undefined
  const fn = call && ts.isCallExpression(call) ? call.arguments[1]?.getText().replace(/^\w+\./, '') : undefined
  return fn ? `${fn} as a module: its options are given once, its tensors to forward.` : ''
}

/**
 * @param {ts.Symbol} symbol @param {string} id @param {string} before what a call begins with @returns {Entry}
 */
function entryOf(symbol, id, before) {
  const type = checker.getTypeOfSymbol(symbol), [construct] = type.getConstructSignatures()
  if (construct) return classOf(symbol, construct, id, before)
  const { name } = symbol, [signature] = type.getCallSignatures()
  const declared = symbol.valueDeclaration ?? symbol.declarations?.[0], first = signature?.declaration ?? declared
  // An overload has types; the comment is at the function.
  const own = first && ts.isJSDocSignature(first) ? declared : first
  const table = own && ts.isFunctionTypeNode(own) ? fromTable(name) : null
  const around = declared && ts.isPropertyAssignment(declared) ? declared : undefined
  const words = allSaid(table ? [] : [around, own, handedTo(own)]), plain = docOf(symbol)
  const { list, params, returns } = called(signature, words)
  return {
    ...NOTHING, id, name, kind: signature ? 'function' : 'value', params, errors: words.errors,
    examples: words.examples, call: `${before}${name}${signature ? `(${list})` : ''}`,
    text: table?.text ?? (plain.length > words.text.length ? plain : words.text),
    returns: signature ? returns : { type: typeText(type), text: '' },
    source: table?.source ?? sourceOf(handedTo(own) ?? own)
  }
}

/**
 * The documented members that a class declares itself, without inherited ones.
 * @param {ts.ClassLikeDeclaration} node @param {string} id @returns {Entry[]}
 */
function membersOf(node, id) {
  return node.members.flatMap(member => {
    const isNamed = member.name && ts.isIdentifier(member.name) && !ts.isSetAccessor(member) && !isInternal(member)
    const symbol = isNamed ? checker.getSymbolAtLocation(/** @type {ts.Node} */ (member.name)) : undefined
    const { text, returns } = said(member)
    if (!symbol || !(text || returns || symbol.name === 'forward')) return []
    const isStatic = ts.getCombinedModifierFlags(/** @type {ts.Declaration} */ (member)) & ts.ModifierFlags.Static
    const entry = entryOf(symbol, `${id}.${symbol.name}`, isStatic ? `${id}.` : '.')
    return [{ ...entry, kind: ts.isMethodDeclaration(member) ? 'method' : 'value' }]
  })
}

/**
 * @param {ts.Symbol} symbol @param {ts.Signature} construct @param {string} id @param {string} before
 * @returns {Entry}
 */
function classOf({ name }, construct, id, before) {
  const node = construct.getReturnType().symbol?.valueDeclaration, own = node && ts.isClassLike(node) ? node : undefined
  const maker = own?.members.find(ts.isConstructorDeclaration), declared = own ?? modules.get(name)?.valueDeclaration
  const words = allSaid([declared, maker])
  const { list, params } = called(maker ? checker.getSignatureFromDeclaration(maker) : construct, words)
  return {
    ...NOTHING, id, name, kind: 'class', call: `new ${before}${name}(${list})`, params, errors: words.errors,
    text: (own && said(own).text) || madeOf(declared) || words.text, examples: words.examples,
    source: sourceOf(declared), members: own ? membersOf(own, id) : []
  }
}

/** A class that users receive but do not construct. @param {string} name @returns {Entry} */
function givenClass(name) {
  const node = /** @type {ts.ClassDeclaration} */ (types.get(name)?.declarations?.find(ts.isClassLike))
  const { text, examples } = said(node)
  return {
    ...NOTHING, id: name, name, kind: 'class', call: name, text, examples, source: sourceOf(node),
    members: membersOf(node, name)
  }
}

/** A named type. @param {string} name @returns {Entry} */
function typeEntry(name) {
  const symbol = /** @type {ts.Symbol} */ (types.get(name)), type = checker.getDeclaredTypeOfSymbol(symbol)
  const params = fieldsOf(type, new Map()).map(field => ({ ...field, fields: [] }))
  return {
    ...NOTHING, id: name, name, kind: 'type', call: name, text: docOf(symbol), params,
    returns: params.length ? null : { type: typeText(type, ts.TypeFormatFlags.InTypeAlias), text: '' },
    source: sourceOf(symbol.declarations?.[0])
  }
}

/** @param {Entry[]} entries */
const sorted = entries => entries.sort((a, b) => a.name.localeCompare(b.name, 'en'))

/**
 * All entries of an object of the library.
 * @param {ts.Type} type @param {string} prefix @param {readonly string[]} [without]
 */
const entriesOf = (type, prefix, without = []) => sorted(checker.getPropertiesOfType(type)
  .filter(({ name }) => !without.includes(name)).map(symbol => entryOf(symbol, prefix + symbol.name, prefix)))

/**
 * A method of a tensor is the function of the same name, with the tensor as its first argument.
 * @param {Section[]} all
 */
function methodsOfFunctions(all) {
  const [methods, functions] = ['Tensor', 'functional'].map(id => all.find(item => item.id === id)?.entries ?? [])
  for (const method of methods) {
    const made = functions.find(({ name }) => name === method.name)
    if (!made) continue
    method.text ||= made.text
    method.source = made.source
    method.errors = made.errors
    for (const param of method.params) {
      param.text ||= made.params.find(({ name }) => name === param.name)?.text ?? ''
    }
    if (method.returns) method.returns.text ||= made.returns?.text ?? ''
  }
}

/** Objects within the library, each a section of its own; the engine is internal. */
const APART = ['nn', 'functional', 'text', 'data', 'decoding', 'interpret', 'optim', 'models', 'autograd', 'engine']

/** @param {string} name */
const declared = name => checker.getDeclaredTypeOfSymbol(/** @type {ts.Symbol} */ (types.get(name)))
/** @param {ts.Type} type @param {string} name */
const part = (type, name) => checker.getTypeOfSymbol(/** @type {ts.Symbol} */ (type.getProperty(name)))
/** @param {...string} names */
const given = (...names) => names.map(givenClass)

/** Everything that can be called, read or constructed. @returns {Section[]} */
function parts() {
  const whole = declared('Glassformer'), nn = part(whole, 'nn'), optim = part(whole, 'optim')
  /** @type {[string, string, Entry[]][]} */
  const list = [
    ['load', 'glassformer', [entryOf(/** @type {ts.Symbol} */ (types.get('load')), 'load', ''),
      ...given('GlassformerError')]],
    ['gf', 'gf', [...entriesOf(whole, 'gf.', APART), ...entriesOf(part(whole, 'autograd'), 'gf.autograd.')]],
    ['Tensor', 'Tensor', [...given('Tensor'), ...entriesOf(declared('TensorMethods'), 'x.').map(
      entry => ({ ...entry, kind: /** @type {const} */ ('method') }))]],
    ['functional', 'gf.functional', entriesOf(part(whole, 'functional'), 'F.')],
    ['nn', 'gf.nn', entriesOf(nn, 'gf.nn.', ['functional', 'init'])],
    ['init', 'gf.nn.init', entriesOf(part(nn, 'init'), 'gf.nn.init.')],
    ['optim', 'gf.optim', [...entriesOf(optim, 'gf.optim.', ['lrScheduler']), ...given('Optimizer')]],
    ['lrScheduler', 'gf.optim.lrScheduler', [...entriesOf(part(optim, 'lrScheduler'), 'gf.optim.lrScheduler.'), ...given('Scheduler')]],
    ['data', 'gf.data', entriesOf(part(whole, 'data'), 'gf.data.')],
    ['text', 'gf.text', [...entriesOf(part(whole, 'text'), 'gf.text.'), ...given('Tokenizer')]],
    ['models', 'gf.models', [...entriesOf(part(whole, 'models'), 'gf.models.'),
      ...given('LanguageModel', 'Causal', 'Seq2Seq')]],
    ['decoding', 'gf.decoding', entriesOf(part(whole, 'decoding'), 'gf.decoding.')],
    ['interpret', 'gf.interpret', entriesOf(part(whole, 'interpret'), 'gf.interpret.')],
    ['runs', 'What a trace and a run say', given('Trace', 'Run')]
  ]
  return list.map(([id, title, entries]) => ({ id, title, entries }))
}

/** @param {ts.Symbol} symbol */
const isType = ({ declarations = [] }) => declarations.some(
  node => ts.isJSDocTypedefTag(node) || ts.isTypeAliasDeclaration(node))

/** The signatures of entries, by how their ids begin. @type {[RegExp, Record<string, string>, number][]} */
const SIGNATURES = [
  [/^x\.(\w+)$/, { ...FUNCTIONS, ...METHODS }, 1], [/^(?:F|gf)\.(\w+)$/, FUNCTIONS, 0], [/^gf\.nn\.(\w+)$/, MODULES, 0],
  [/^gf\.nn\.(\w+)\.forward$/, FORWARDS, 0], [/^gf\.nn\.init\.(\w+)$/, INIT, 0],
  [/^gf\.optim\.(?:lrScheduler\.)?(\w+)$/, OPTIMIZERS, 0], [/^gf\.data\.(\w+)$/, DATA, 0]
]

/** The arguments of an entry in PyTorch's order, where options have a position. @param {string} id */
export function getOrder(id) {
  for (const [pattern, table, first] of SIGNATURES) {
    const [, name = ''] = pattern.exec(id) ?? []
    if (!Object.hasOwn(table, name)) continue
    const { order, options, byName } = parseSignature(table[name])
    if (options.some(option => !byName.includes(option))) return order.slice(first).join(', ')
  }
  return undefined
}

/** @returns {Section[]} */
export function collectReference() {
  const sections = parts()
  methodsOfFunctions(sections)
  for (const entry of sections.flatMap(({ entries }) => entries.flatMap(entry => [entry, ...entry.members]))) {
    entry.order = getOrder(entry.id)
  }
  const known = new Set(sections.flatMap(({ entries }) => entries.map(({ name }) => name)))
  const rest = [...types].filter(([name, symbol]) => !known.has(name) && isType(symbol)).map(([name]) => name).sort()
  return [...sections, { id: 'types', title: 'Types', entries: rest.map(typeEntry) }]
}
