import { DTYPES } from '../tensor/dtype.js'
import { nest } from '../tensor/shape.js'

/**
 * Writes Python literals and names.
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/** Larger tensors are written as base64. */
const MAX_LITERAL_VALUES = 64

/** @param {number} value */
export function numberLiteral(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : String(value).replace('e+', 'e')
  return value !== value ? "float('nan')" : value > 0 ? "float('inf')" : "-float('inf')"
}

/** Characters that must be escaped in a string: quotes, line breaks, control characters and lone surrogates. */
const ESCAPED = /[\\'\p{Cc}\u2028\u2029]|\p{Cs}/gu

/** @param {string} character */
const escape = character => (character === '\\' || character === "'" ? `\\${character}`
  : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A Python literal of nested arrays, a number, a boolean, a string or null. @param {any} value @returns {string} */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value.replace(ESCAPED, escape)}'`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'number' ? numberLiteral(value) : 'None'
}

/** @param {readonly number[]} sizes @returns {string} a tuple */
export const tuple = sizes => `(${sizes.join(', ')}${sizes.length === 1 ? ',' : ''})`

/** The arguments of a function that takes a shape, in parentheses. @param {readonly number[]} sizes */
export const sizeArguments = sizes => (sizes.length ? `(${sizes.join(', ')})` : '(())')

/** PyTorch's name of a dtype. Integers are int64. @param {import('../tensor/dtype.js').DType} dtype */
export const dtypeOf = dtype => `torch.${dtype === 'int32' ? 'int64' : dtype}`

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** @param {Tensor} tensor */
function rawBytes({ dtype, values, bytes }) {
  return dtype === 'int32' ? new Uint8Array(BigInt64Array.from(Array.from(values), BigInt).buffer) : bytes
}

/**
 * An expression for a tensor with its values.
 * @param {Tensor} tensor @param {number} [maxValues] larger tensors are base64 @returns {string}
 */
export function tensorText(tensor, maxValues = MAX_LITERAL_VALUES) {
  const { shape, dtype, values } = tensor, { read } = DTYPES[dtype]
  if (tensor.numel() > maxValues) return `decoded('${base64(rawBytes(tensor))}', ${dtypeOf(dtype)}, ${tuple(shape)})`
  const nested = tensor.numel() ? literal(nest(shape, read ? Array.from(values, read) : values)) : '[]'
  return `torch.tensor(${nested}, dtype=${dtypeOf(dtype)})${tensor.numel() ? '' : `.reshape${sizeArguments(shape)}`}`
}

const KEYWORDS = ('False None True and as assert async await break class continue def del elif else except finally for ' +
  'from global if import in is lambda nonlocal not or pass raise return try while with yield').split(' ')

const RESERVED = [...KEYWORDS, 'self', 'torch', 'nn', 'math', 'F']

/** Names that classes must not have: Python's, and those that the script uses. */
export const RESERVED_CLASS_NAMES = [...RESERVED, ...('argparse base64 json os struct KINDS INPUTS EXPECTED load_weights save_weights ' +
  'call named check batches loss_of train build main super range len print zip open max list int float bool bytearray ' +
  'slice isinstance enumerate getattr setattr NotImplementedError ImportError SystemExit').split(' ')]

/** Attributes of nn.Module, which would hide submodules and parameters of the same name. */
const MODULE_ATTRIBUTES = ('add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval ' +
  'extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia ' +
  'named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer ' +
  'register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook ' +
  'register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter ' +
  'register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule ' +
  'share_memory state_dict to to_empty train training type xpu zero_grad _apply _buffers _call_impl _get_name _modules ' +
  '_parameters').split(' ')

/**
 * Whether nn.Module does not allow a name for a submodule or tensor.
 * @param {string} name @param {boolean} isKey of a ModuleDict
 */
export const isReservedAttribute = (name, isKey) => name === '' || MODULE_ATTRIBUTES.includes(name) || /^__.*__$/.test(name) ||
  (isKey && ['clear', 'pop', 'items', 'keys', 'values', 'update'].includes(name))

/**
 * Whether a name can be written after a dot: Python mangles names that begin with two underscores in a class.
 * @param {string} name
 */
const isAttribute = name => /^(?!__)[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name)

/** The expression for an attribute. @param {string} base @param {string} name */
export const attribute = (base, name) => (isAttribute(name) ? `${base}.${name}` : `getattr(${base}, ${literal(name)})`)

/** The line that sets an attribute. @param {string} base @param {string} name @param {string} value */
export const assignment = (base, name, value) => (isAttribute(name) ? `${base}.${name} = ${value}`
  : `setattr(${base}, ${literal(name)}, ${value})`)

/** A name as a Python identifier in snake_case. @param {string} name */
export function toIdentifier(name) {
  const plain = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replace(/[^a-z0-9_]+/g, '_')
  const valid = /^[a-z_]/.test(plain) ? plain : `x${plain}`
  return RESERVED.includes(valid) ? `${valid}_` : valid
}

/** Creates a function that makes names unique by numbering them. @param {Iterable<string>} reserved names in use */
export function createNamer(reserved) {
  const used = new Set(reserved)
  return (/** @type {string} */ preferred) => {
    let name = preferred
    for (let n = 2; used.has(name); n++) name = `${preferred}_${n}`
    used.add(name)
    return name
  }
}

/** @param {string} text @param {number} [width] */
export const indent = (text, width = 4) => text.replace(/^(?=.)/gm, ' '.repeat(width))
