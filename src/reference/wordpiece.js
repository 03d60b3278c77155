// BERT's tokenizer, following the implementation of Devlin et al. character by character. As in Hugging Face's library,
// unassigned code points stay and U+2B820 to U+2B91F are not among the Chinese characters.

const isControl = c => !'\t\n\r'.includes(c) && /[\p{Cc}\p{Cf}\p{Co}]/u.test(c)
const isSpace = c => /\p{White_Space}/u.test(c)
const isPunctuation = c => /[!-/:-@[-`{-~\p{P}]/u.test(c)
const CHINESE = [[0x4e00, 0x9fff], [0x3400, 0x4dbf], [0x20000, 0x2a6df], [0x2a700, 0x2b73f], [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf], [0xf900, 0xfaff], [0x2f800, 0x2fa1f]]
const isChinese = c => CHINESE.some(([first, last]) => c.codePointAt(0) >= first && c.codePointAt(0) <= last)

/** BERT's BasicTokenizer: splits at white space, punctuation and Chinese characters; `lower` lowercases and strips
 * accents. */
export function basicTokens(text, lower) {
  let clean = ''
  for (const c of text) {
    if (c === '\0' || c === '\ufffd' || isControl(c)) continue
    clean += isSpace(c) ? ' ' : isChinese(c) ? ` ${c} ` : c
  }
  if (lower) clean = [...clean.normalize('NFD')].filter(c => !/\p{Mn}/u.test(c)).map(c => c.toLowerCase()).join('')
  return clean.split(/\p{White_Space}+/u).filter(Boolean).flatMap(word => {
    const parts = ['']
    for (const c of word) {
      if (isPunctuation(c)) parts.push(c, '')
      else parts[parts.length - 1] += c
    }
    return parts.filter(Boolean)
  })
}

/** WordPiece: greedy longest match first. vocab: Set */
export function pieces(word, vocab) {
  const characters = [...word]
  if (characters.length > 100) return ['[UNK]']
  const out = []
  for (let start = 0; start < characters.length;) {
    let end = characters.length
    const piece = () => (start ? '##' : '') + characters.slice(start, end).join('')
    while (end > start && !vocab.has(piece())) end--
    if (end === start) return ['[UNK]']
    out.push(piece())
    start = end
  }
  return out
}
