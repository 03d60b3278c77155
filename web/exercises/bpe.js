/** Byte-pair encoding: merging the pairs of a word by their rank. */

const MERGES = [['l', 'o'], ['w', 'e'], ['lo', 'w'], ['e', 'r'], ['we', 'r'], ['n', 'a'], ['a', 'n'], ['na', 'na']]

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'bpe',
  formula: 'a , b → ab , "rank"(a , b) = "min"',
  names: ['[...word]', 'merges.findIndex(([a, b]) => …)', 'Math.min(...ranks)', 'tokens.push(a + b)'],
  starter: `// $signature
function bpe(word, merges) {
  let tokens = [...word]
  return tokens
}`,
  solution: `// $signature
function bpe(word, merges) {
  let tokens = [...word]
  for (;;) {
    const ranks = tokens.slice(1).map((next, i) => (
      merges.findIndex(([a, b]) => a === tokens[i] && b === next))).filter(rank => rank >= 0)
    if (ranks.length === 0) return tokens
    const [a, b] = merges[Math.min(...ranks)], merged = []
    for (let i = 0; i < tokens.length; i++) {
      const isPair = tokens[i] === a && tokens[i + 1] === b
      merged.push(isPair ? a + b : tokens[i])
      if (isPair) i++
    }
    tokens = merged
  }
}`,
  torch: {
    starter: `# $signature
def bpe(word, merges):
    tokens = list(word)
    return tokens`,
    solution: `# $signature
def bpe(word, merges):
    tokens, ranks = list(word), {tuple(pair): rank for rank, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in zip(tokens, tokens[1:]) if pair in ranks]
        if not pairs:
            return tokens
        best, merged, i = min(pairs, key=ranks.get), [], 0
        while i < len(tokens):
            is_pair = tuple(tokens[i:i + 2]) == best
            merged.append(''.join(best) if is_pair else tokens[i])
            i += 2 if is_pair else 1
        tokens = merged`
  },
  tolerance: 0,
  cases: () => ({
    word: ['lower', MERGES],
    repeated: ['bananana', MERGES],
    mixed: ['lowanewer', MERGES],
    one: ['l', MERGES],
    none: ['low', []]
  }),
  expected: (gf, word, merges) => {
    const vocab = [...new Set([...word, ...merges.flatMap((/** @type {string[]} */ pair) => [...pair, pair.join('')])])]
    const model = { type: 'BPE', vocab: Object.fromEntries(vocab.map((token, i) => [token, i])),
      merges: merges.map((/** @type {string[]} */ pair) => pair.join(' ')) }
    const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model }) })
    const { ids } = /** @type {import('../../src/js/text/tokenizer.js').Encoding} */ (tokenizer.encode(word))
    return Array.from(ids, id => vocab[id])
  },
  mistakes: {
    leftToRight: ['Math.min(...ranks)', 'ranks[0]'],
    lastFirst: ['Math.min(...ranks)', 'Math.max(...ranks)'],
    once: ['    tokens = merged\n', '    return merged\n'],
    overlapping: ['if (isPair) i++', ''],
    noMerge: ['a + b', 'a']
  }
}
