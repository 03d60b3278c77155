import { DTYPES } from '../dtype.js'
import { nest } from '../shape.js'

/**
 * Values as Python writes them.
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

/** More numbers than that are written as base64. */
const MOST_NUMBERS = 64

/** @param {number} value */
export function number(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : String(value).replace('e+', 'e')
  return value !== value ? "float('nan')" : value > 0 ? "float('inf')" : "-float('inf')"
}

/** What cannot stand between quotes: those, what breaks a line or is not seen, and half a pair of UTF-16. */
const ESCAPED = /[\\'\p{Cc}\u2028\u2029]|\p{Cs}/gu

/** @param {string} letter */
const escape = letter => (letter === '\\' || letter === "'" ? `\\${letter}`
  : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A value of nested arrays, a number, a boolean, a string or nothing. @param {any} value @returns {string} */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value.replace(ESCAPED, escape)}'`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'number' ? number(value) : 'None'
}

/** @param {readonly number[]} sides @returns {string} a tuple */
export const tuple = sides => `(${sides.join(', ')}${sides.length === 1 ? ',' : ''})`

/** What stands after a function that takes a shape. @param {readonly number[]} sides */
export const sides = sides => (sides.length ? `(${sides.join(', ')})` : '(())')

/** What torch calls a type. Ids are int64 there. @param {import('../dtype.js').DType} dtype */
export const dtypeOf = dtype => `torch.${dtype === 'int32' ? 'int64' : dtype}`

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** @param {Tensor} tensor */
function bytesOf({ dtype, values, bytes }) {
  return dtype === 'int32' ? new Uint8Array(BigInt64Array.from(Array.from(values), BigInt).buffer) : bytes
}

/**
 * A tensor with its values.
 * @param {Tensor} tensor @param {number} [most] numbers that are written as such @returns {string}
 */
export function tensorText(tensor, most = MOST_NUMBERS) {
  const { shape, dtype, values } = tensor, { read } = DTYPES[dtype]
  if (tensor.size > most) return `decoded('${base64(bytesOf(tensor))}', ${dtypeOf(dtype)}, ${tuple(shape)})`
  const nested = tensor.size ? literal(nest(shape, read ? Array.from(values, read) : values)) : '[]'
  return `torch.tensor(${nested}, dtype=${dtypeOf(dtype)})${tensor.size ? '' : `.reshape${sides(shape)}`}`
}

const KEYWORDS = ('False None True and as assert async await break class continue def del elif else except finally for ' +
  'from global if import in is lambda nonlocal not or pass raise return try while with yield').split(' ')

const RESERVED = [...KEYWORDS, 'self', 'torch', 'nn', 'math', 'F']

/** Names that no class of a script may have: Python's, and those that the script itself calls. */
export const NO_CLASS = [...RESERVED, ...('argparse base64 json os struct KINDS INPUTS EXPECTED load_weights save_weights ' +
  'call named check batches loss_of train build main super range len print zip open max list int float bool bytearray ' +
  'slice isinstance enumerate getattr setattr NotImplementedError ImportError SystemExit').split(' ')]

/** What every nn.Module has of its own: what a module inside is called by the same name cannot be reached. */
const OF_TORCH = ('add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval ' +
  'extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia ' +
  'named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer ' +
  'register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook ' +
  'register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter ' +
  'register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule ' +
  'share_memory state_dict to to_empty train training type xpu zero_grad _apply _buffers _call_impl _get_name _modules ' +
  '_parameters').split(' ')

/**
 * Whether PyTorch takes a name for what a module holds, in whatever way it is written.
 * @param {string} name @param {boolean} isKey of a ModuleDict
 */
export const isTaken = (name, isKey) => name === '' || OF_TORCH.includes(name) || /^__.*__$/.test(name) ||
  (isKey && ['clear', 'pop', 'items', 'keys', 'values', 'update'].includes(name))

/**
 * Whether a name can stand after a dot and be itself: one that begins with two underscores is renamed in a class.
 * @param {string} name
 */
const isAttribute = name => /^(?!__)[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name)

/** What an object holds by a name. @param {string} base @param {string} name */
export const attribute = (base, name) => (isAttribute(name) ? `${base}.${name}` : `getattr(${base}, ${literal(name)})`)

/** The line that puts it there. @param {string} base @param {string} name @param {string} value */
export const assignment = (base, name, value) => (isAttribute(name) ? `${base}.${name} = ${value}`
  : `setattr(${base}, ${literal(name)}, ${value})`)

/** A name that Python takes, in its way of writing. @param {string} name */
export function identifier(name) {
  const plain = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replace(/[^a-z0-9_]+/g, '_')
  const whole = /^[a-z_]/.test(plain) ? plain : `x${plain}`
  return RESERVED.includes(whole) ? `${whole}_` : whole
}

/** Names given once each: a second one of a kind is numbered. @param {Iterable<string>} others that are taken */
export function namesBeside(others) {
  const taken = new Set(others)
  return (/** @type {string} */ wanted) => {
    let name = wanted
    for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`
    taken.add(name)
    return name
  }
}

/** Lines moved to the right. @param {string} text @param {number} [by] */
export const indented = (text, by = 4) => text.replace(/^(?=.)/gm, ' '.repeat(by))
