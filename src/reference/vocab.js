// The tokens of a vocabulary, in the order of torchtext's build_vocab_from_iterator or of their first occurrence.
const codePoints = token => Array.from(token, character => character.codePointAt(0))

function byCodePoints(a, b) {
  const [left, right] = [codePoints(a), codePoints(b)]
  const i = left.findIndex((code, k) => code !== right[k])
  return i < 0 ? left.length - right.length : left[i] - (right[i] ?? -1)
}

export function vocab(lists, options = {}) {
  const { order = 'frequency', specials = [], specialsFirst = true, minFrequency = 1, maxTokens } = options
  const counts = new Map()
  for (const token of lists.flat()) counts.set(token, (counts.get(token) ?? 0) + 1)
  let pairs = [...counts]
  if (order === 'frequency') pairs.sort((a, b) => b[1] - a[1] || byCodePoints(a[0], b[0]))
  if (maxTokens !== undefined) pairs = pairs.slice(0, maxTokens - specials.length)
  const tokens = pairs.filter(([token, n]) => n >= minFrequency && !specials.includes(token)).map(([token]) => token)
  return specialsFirst ? [...specials, ...tokens] : [...tokens, ...specials]
}
