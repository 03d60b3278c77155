/** What the axes of the translator's tensors are, read off their names: a word for each, and whose names run along. */

const ATTENTION = /attn\.(scores|masked_scores|weights|dots|dropout\.(mask|output))$/

/** Whose tokens run along the token axis. */
function sideOf(name) {
  if (/^positions\./.test(name)) return name.endsWith(':2') ? 'target' : 'source'
  if (/multihead_attn\.[kv]$/.test(name)) return 'source'
  return /^(source_embedding|transformer\.encoder)/.test(name) ? 'source' : 'target'
}

function attention(name) {
  const side = sideOf(name)
  return {
    axes: ['sentence', 'head', 'query', 'key'],
    along: [null, null, side, name.includes('multihead_attn') ? 'source' : side]
  }
}

const isAboutWords = (name) => /^(output|softmax\.|choice\.)/.test(name)

const MATRIX = {
  'source_embedding.weight': { axes: ['word', 'dim'], along: ['sourceWord', null] },
  'target_embedding.weight': { axes: ['word', 'dim'], along: ['targetWord', null] },
  'positions.pe': { axes: ['position', 'dim'], along: [null, null] },
  'positions.weight': { axes: ['position', 'dim'], along: [null, null] },
  'output.weight': { axes: ['word', 'dim'], along: ['targetWord', null] },
  log_probs: { axes: ['token', 'word'], along: ['target', 'targetWord'] },
  'output.bias': { axes: ['word'], along: ['targetWord'] }
}

/**
 * @param {string} name
 * @param {ArrayLike<number>} shape of the tensor, or an index into it
 * @returns {{ axes: string[], along: (string | null)[] }}
 */
export function axesOf(name, shape) {
  if (MATRIX[name]) return MATRIX[name]
  if (ATTENTION.test(name)) return attention(name)
  if (shape.length === 3) {
    const words = isAboutWords(name)
    const along = [null, sideOf(name), words ? 'targetWord' : null]
    return { axes: ['sentence', 'token', words ? 'word' : 'dim'], along }
  }
  const axes = ['row', 'dim'].slice(0, shape.length)
  return { axes, along: axes.map(() => null) }
}
