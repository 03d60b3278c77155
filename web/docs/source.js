/** The library's source as TypeScript's compiler sees it: types, and the contents of comments. */

import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** @import { Entry, Field } from './collect.js' */

/**
 * @typedef {{ text: string, errors: string[], examples: string[], returns: string, params: Map<string, string>,
 *   nested: Map<string, string> }} Words what a comment says; nested: of what is in an options object
 * @typedef {{ name: string, type: ts.Type, isOptional: boolean, isRest: boolean }} Argument
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TYPES = `${ROOT}src/js/glassformer.d.ts`, MODULES = `${ROOT}src/js/nn/index.js`
const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope

const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
const program = ts.createProgram([TYPES], { ...options, noEmit: true })
export const checker = program.getTypeChecker()

/** @param {string} path */
function exportsOf(path) {
  const file = /** @type {ts.SourceFile} */ (program.getSourceFile(path))
  return checker.getExportsOfModule(/** @type {ts.Symbol} */ (checker.getSymbolAtLocation(file)))
}

/** The symbol of a name, through imports. @param {ts.Symbol | undefined} symbol */
const behind = symbol => (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)

/** The exports of a file, by name. @param {string} path */
const named = path => new Map(exportsOf(path).map(
  symbol => [symbol.name, /** @type {ts.Symbol} */ (behind(symbol))]))

/** All names of the package. */
export const types = named(TYPES)
/** The modules: those made of functions have no class of their own. */
export const modules = named(MODULES)

/** @param {ts.Symbol} symbol */
export const docOf = symbol => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()

/** @param {ts.Type} type @param {number} [more] flags */
export const typeText = (type, more = 0) => checker.typeToString(type, undefined, FLAGS | more)
  .replace(/import\("[^"]*"\)\./g, '').replace(/ \| undefined\b/g, '').replace(/<ArrayBufferLike>|<ArrayBuffer>/g, '')

/** File and line. @param {ts.Node | undefined} node */
export function sourceOf(node) {
  const file = node?.getSourceFile()
  if (!node || !file?.fileName.startsWith(`${ROOT}src/`)) return null
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return `${file.fileName.slice(ROOT.length)}:${line + 1}`
}

/**
 * The function that a wrapper passes its arguments to: (x, options) => made(engine, x, options).
 * @param {ts.Node | undefined} node
 */
export function handedTo(node) {
  const body = node && ts.isArrowFunction(node) && ts.isCallExpression(node.body) ? node.body.expression : null
  const symbol = body && checker.getSymbolAtLocation(ts.isPropertyAccessExpression(body) ? body.name : body)
  return behind(symbol ?? undefined)?.valueDeclaration
}

/** The node whose comment documents a declaration. @param {ts.Node} node @returns {ts.Node} */
function commented(node) {
  const isFunction = ts.isArrowFunction(node) || ts.isFunctionExpression(node)
  return isFunction && ts.isVariableDeclaration(node.parent) ? node.parent : node
}

/** @param {ts.JSDocTag | ts.JSDoc} one */
const textOf = ({ comment }) => (ts.getTextOfJSDocComment(comment) ?? '').trim()

/** The contents of a comment, tag by tag. @param {ts.Node | undefined} declaration @returns {Words} */
export function said(declaration) {
  const node = declaration && commented(declaration), tags = node ? ts.getJSDocTags(node) : []
  /** @param {string} name */
  const of = name => tags.filter(tag => tag.tagName.text === name)
  const params = new Map(), nested = new Map()
  for (const tag of of('param')) {
    const written = /** @type {ts.JSDocParameterTag} */ (tag).name.getText(), name = written.split('.').pop()
    ;(written === name ? params : nested).set(name, textOf(tag))
  }
  const comments = node ? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc) : []
  return {
    text: comments.map(textOf).join('\n').trim(), params, nested, errors: of('throws').map(textOf),
    examples: of('example').map(textOf), returns: of('returns').map(textOf)[0] ?? ''
  }
}

/** @param {ts.Node} node */
export const isInternal = node => ts.getJSDocTags(node).some(tag => tag.tagName.text === 'internal')

/** The merged comments of a wrapper and of what it wraps. @param {(ts.Node | undefined)[]} nodes */
export function allSaid(nodes) {
  const all = [...nodes, undefined].map(said)
  return {
    text: all.reduce((a, b) => (b.text.length > a.text.length ? b : a)).text,
    errors: all.flatMap(item => item.errors), examples: all.flatMap(item => item.examples),
    returns: all.map(item => item.returns).find(Boolean) ?? '',
    params: new Map(all.flatMap(item => [...item.params])), nested: new Map(all.flatMap(item => [...item.nested]))
  }
}

/** Classes that are displayed by name, however many properties they have. */
const CLASSES = /^(Tensor|Module|Cache)$/
/** An object with more properties is not an options object. */
const MOST_FIELDS = 20

/** Whether a type is that of an object literal. @param {ts.Type} type */
function isPlain(type) {
  const isObject = Boolean(type.flags & ts.TypeFlags.Object) || type.isIntersection()
  const isOther = type.isUnion() || type.isClass() || checker.isArrayType(type) || checker.isTupleType(type) ||
    type.getCallSignatures().length > 0 || checker.getPropertiesOfType(type).some(({ escapedName }) => String(escapedName).startsWith('__@')) || type.getStringIndexType() !== undefined
  const file = type.symbol?.valueDeclaration?.getSourceFile()
  return isObject && !isOther && !file?.hasNoDefaultLib && !CLASSES.test(type.symbol?.name ?? '')
}

/**
 * The properties of an options object; none for other types.
 * @param {ts.Type} type @param {Map<string, string>} texts @returns {Field[]}
 */
export function fieldsOf(type, texts) {
  const own = checker.getNonNullableType(type)
  if (!isPlain(own)) return []
  const properties = checker.getPropertiesOfType(own)
  // Symbols such as that of iterables make it more than an object of options.
  if (properties.some(({ name }) => name.startsWith('__@'))) return []
  const fields = properties.map(property => ({
    name: property.name, type: typeText(checker.getTypeOfSymbol(property)),
    text: texts.get(property.name) ?? docOf(property), isOptional: Boolean(property.flags & ts.SymbolFlags.Optional)
  }))
  return fields.length < MOST_FIELDS ? fields : []
}

/** The members of an argument list, one by one. @param {ts.TypeReference} type @returns {Argument[]} */
function unpacked(type) {
  const { elementFlags, labeledElementDeclarations: labels } = /** @type {ts.TupleTypeReference} */ (type).target
  return checker.getTypeArguments(type).map((argument, i) => ({
    name: labels?.[i]?.name.getText() ?? 'options', type: argument, isRest: false,
    isOptional: Boolean(elementFlags[i] & ts.ElementFlags.Optional)
  }))
}

/**
 * Whether users pass the argument: not the engine, and none that exists only to be rejected.
 * @param {ts.Symbol} symbol
 */
const isGiven = symbol => symbol.name !== 'engine' && checker.typeToString(checker.getTypeOfSymbol(symbol)) !== 'undefined[]'

/** The arguments of a call. @param {ts.Signature} signature @returns {Argument[]} */
function argumentsOf(signature) {
  return signature.getParameters().filter(isGiven).flatMap(symbol => {
    const node = symbol.valueDeclaration, type = checker.getTypeOfSymbol(symbol)
    const own = node && ts.isParameter(node) ? node : null, isRest = Boolean(own?.dotDotDotToken) || symbol.name === 'args'
    if (isRest && checker.isTupleType(type)) return unpacked(/** @type {ts.TypeReference} */ (type))
    const isOptional = isRest || Boolean(own && checker.isOptionalParameter(own)) ||
      /undefined$/.test(checker.typeToString(type))
    // An argument that is taken apart has a name in its comment only.
    const [tag] = own && !ts.isIdentifier(own.name) ? ts.getJSDocParameterTags(own) : []
    return [{ name: tag?.name.getText() ?? symbol.name, type, isOptional, isRest }]
  })
}

/**
 * Distributes the one-line description of an options object, 'eps: 1e-5; bias, scale: true', to its fields.
 * @param {Field[]} fields @param {string} text @returns {boolean} whether all of it was
 */
function shareText(fields, text) {
  const parts = text.split(/;\s+(?=[\w,\s]+:)/).map(part => /^([\w,\s]+?):\s*([^]*)$/.exec(part))
  const shares = parts.map(part => {
    const own = (part?.[1] ?? '').split(/,\s*/).map(name => fields.find(field => field.name === name))
    return { own, says: part?.[2] ?? '' }
  })
  const isAll = fields.length > 0 && shares.every(({ own }) => own.every(Boolean))
  if (isAll) for (const { own, says } of shares) for (const field of own) if (field) field.text ||= says
  return isAll
}

/**
 * A call: its spelling, arguments and result.
 * @param {ts.Signature | undefined} signature @param {Words} words
 * @returns {Pick<Entry, 'params' | 'returns'> & { list: string }}
 */
export function called(signature, words) {
  if (!signature) return { params: [], returns: null, list: '' }
  const params = argumentsOf(signature).map(({ name, type, isOptional, isRest }) => {
    const fields = fieldsOf(type, words.nested), text = words.params.get(name) ?? ''
    const shared = shareText(fields, text)
    return {
      name: (isRest ? '...' : '') + name, type: fields.length ? 'options' : typeText(type), isOptional, fields,
      text: shared ? '' : text
    }
  })
  const type = typeText(signature.getReturnType())
  const list = params.map(({ name, fields }) => (
    fields.length ? `{ ${fields.map(field => field.name).join(', ')} }` : name))
  return { params, returns: type === 'void' && !words.returns ? null : { type, text: words.returns }, list: list.join(', ') }
}
