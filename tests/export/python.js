// Derives the keys and shapes of the state dict that an exported script will have in PyTorch, by parsing the
// expressions that create its modules. The parser knows only the Python that the scripts use.

/**
 * Parses an expression: numbers, strings, names, calls with keywords, lists, dicts, `[x for _ in range(n)]` and
 * `*list`.
 */
function parse(text) {
  let at = 0
  const skip = () => { while (/\s/.test(text[at] ?? '')) at++ }
  const take = sign => {
    skip()
    if (!text.startsWith(sign, at)) return false
    at += sign.length
    return true
  }
  const word = () => {
    skip()
    const [token = ''] = /^[\w.]+|^-[\d.e-]+/.exec(text.slice(at)) ?? []
    at += token.length
    return token
  }
  const list = close => {
    const items = []
    while (!take(close)) {
      items.push(argument())
      take(',')
    }
    return items
  }
  const argument = () => {
    if (take('*')) return { spread: expression() }
    const start = at, name = word()
    if (name && take('=')) return { name, value: expression() }
    at = start
    return { value: expression() }
  }
  const expression = () => {
    skip()
    const quote = /^['"]/.exec(text.slice(at))?.[0]
    if (quote) {
      const end = text.indexOf(quote, at + 1), value = text.slice(at + 1, end)
      at = end + 1
      return value
    }
    if (take('(')) return list(')').map(item => item.value)
    if (take('{')) {
      const entries = []
      while (!take('}')) {
        const key = expression()
        take(':')
        entries.push([key, expression()])
        take(',')
      }
      return Object.fromEntries(entries)
    }
    if (take('[')) {
      if (take(']')) return []
      const start = at, first = expression()
      if (take('for _ in range(')) {
        const count = Number(word())
        take(')')
        take(']')
        return Array.from({ length: count }, () => first)
      }
      at = start
      return list(']').map(item => item.value)
    }
    const name = word()
    if (!name) throw new Error(`cannot read ${text.slice(at, at + 40)}`)
    if (!take('(')) return /^-?\d/.test(name) ? Number(name) : { True: true, False: false, None: null }[name] ?? name
    const args = list(')')
    return {
      call: name, args: args.filter(({ name }) => !name).flatMap(({ value, spread }) => spread ?? [value]),
      keywords: Object.fromEntries(args.filter(({ name }) => name).map(({ name, value }) => [name, value]))
    }
  }
  return expression()
}

/** The shapes of the tensors of PyTorch's modules by their names. */
const attention = (C, { bias = true, kdim = C, vdim = C }) => ({
  ...(kdim === C && vdim === C ? { in_proj_weight: [3 * C, C] }
    : { q_proj_weight: [C, C], k_proj_weight: [C, kdim], v_proj_weight: [C, vdim] }),
  ...(bias && { in_proj_bias: [3 * C] }), ...withPrefix('out_proj', linear(C, C, { bias }))
})
const linear = (I, O, { bias = true }) => ({ weight: [O, I], ...(bias && { bias: [O] }) })
const norm = (C, { bias = true, elementwise_affine: affine = true }) =>
  (affine ? { weight: [C], ...(bias && { bias: [C] }) } : {})
const withPrefix = (name, shapes) => Object.fromEntries(Object.entries(shapes).map(([key, s]) => [`${name}.${key}`, s]))
const layer = (C, F, attentions, keywords) => Object.assign({},
  ...attentions.map(name => withPrefix(name, attention(C, keywords))), withPrefix('linear1', linear(C, F, keywords)), withPrefix('linear2', linear(F, C, keywords)),
  ...['norm1', 'norm2', ...attentions.slice(1).map(() => 'norm3')].map(name => withPrefix(name, norm(C, keywords))))

const SHAPES = {
  'nn.Linear': ([I, O], keywords) => linear(I, O, keywords),
  'nn.Embedding': ([V, C]) => ({ weight: [V, C] }),
  'nn.LayerNorm': ([C], keywords) => norm(C, keywords),
  'RMSNorm': ([C], { elementwise_affine: affine = true }) => (affine ? { weight: [C] } : {}),
  'PositionalEncoding': ([C, , T]) => ({ pe: [T, C] }),
  'LearnedPositionalEncoding': ([T, C]) => ({ weight: [T, C] }),
  'nn.MultiheadAttention': ([C], keywords) => attention(C, keywords),
  'nn.TransformerEncoderLayer': ([C, , F], keywords) => layer(C, F, ['self_attn'], keywords),
  'nn.TransformerDecoderLayer': ([C, , F], keywords) => layer(C, F, ['self_attn', 'multihead_attn'], keywords),
  'nn.Transformer': ([C, , E, D, F], keywords) => Object.assign({}, ...[['encoder', E, ['self_attn']],
    ['decoder', D, ['self_attn', 'multihead_attn']]].flatMap(([side, n, attentions]) => [
    ...Array.from({ length: n }, (_, i) => withPrefix(`${side}.layers.${i}`, layer(C, F, attentions, keywords))),
    withPrefix(`${side}.norm`, norm(C, keywords))]))
}

/** The state dict's shapes of the module that an expression creates. */
function shapesOf(expression, classes) {
  const { call, args, keywords } = expression, inner = (name, module) => withPrefix(name, shapesOf(module, classes))
  if (SHAPES[call]) return SHAPES[call](args, keywords)
  if (classes[call]) return classes[call]()
  const children = { 'nn.Sequential': args, 'nn.ModuleList': args[0] ?? [], 'nn.ModuleDict': args[0] ?? {} }[call]
  if (children) return Object.assign({}, ...Object.entries(children).map(([key, child]) => inner(key, child)))
  if (/Transformer(En|De)coder$/.test(call)) {
    const layers = Array.from({ length: args[1] }, (_, i) => inner(`layers.${i}`, args[0]))
    return Object.assign({}, ...layers, keywords.norm ? inner('norm', keywords.norm) : {})
  }
  if (/^nn\.(Dropout|GELU|ReLU|SiLU|Tanh|Sigmoid|Identity)$/.test(call)) return {}
  throw new Error(`the module ${call} is unknown`)
}

/** The statements of a block: indented lines and closing brackets continue the statement before. */
const statements = text => text.split(/\n(?=\S)(?![\])}])/).filter(line => line.trim())
const body = (text, head) => {
  const from = text.indexOf(head), rest = text.slice(text.indexOf('\n', from) + 1)
  const indent = / */.exec(rest)[0]
  const lines = rest.split('\n'), end = lines.findIndex(line => line && !line.startsWith(indent))
  return lines.slice(0, end < 0 ? undefined : end).map(line => line.slice(indent.length)).join('\n')
}

/** The keys and shapes of a script's model. */
export function scriptShapesOf(script) {
  const classes = {}
  for (const [, name, text] of script.matchAll(/^class (\w+)\(nn\.Module\):\n((?: {4}.*\n|\n)+)/gm)) {
    classes[name] = () => Object.assign({}, ...statements(body(text, 'def __init__(self)')).map(line => {
      const [, buffer, value] = /^self\.register_buffer\('(\w+)', (.*)\)$/s.exec(line) ?? []
      if (buffer) return value.endsWith('persistent=False') ? {} : { [buffer]: parse(value).args[0] }
      const [, attribute, expression] = /^self\.(\w+) = (.*)$/s.exec(line) ?? []
      if (!attribute) return {}
      const created = parse(expression)
      if (created.call === 'nn.Parameter') return { [attribute]: created.args[0].args.flat() }
      return withPrefix(attribute, shapesOf(created, classes))
    }))
  }
  const assignment = statements(body(script, 'def build()')).find(line => line.startsWith('model = '))
  return shapesOf(parse(assignment.slice('model = '.length)), classes)
}
