/** What a reader sees in another language: visible texts and labels without a character of the reader's script. */

/** Names that every language writes alike. */
const NAMES = `softmax dropout logits logit Logit tanh sigmoid glassformer Transformer transformer PyTorch Jupyter JavaScript JS ALiBi RoPE
  ReLU GELU SwiGLU SiLU LayerNorm RMSNorm KV UTF-8 ONNX GPT GPT-2 BERT T5 ChatGPT Llama Ctrl Enter Shift Esc API
  top-k top-p sin cos exp log NaN float32 float64 int32 r n d k i p id MB KB B ms s English 한국어 中文
  Softmax Dropout Logits Adam SGD CSV NumPy HTML SVG PNG Hugging Face NLTK C`.split(/\s+/)
/** Identifiers and formulas: `out_proj`, `nn.Linear`, `d_model`, `scores[0,`. */
const CODE = /[_.[\](){}=/\\<>#:|^]|[a-z][A-Z]/

/** Visible text nodes, options and labels, without code and without what is marked as another language. */
export const readVisibleTexts = page => page.evaluate(() => {
  const skipped = 'code, pre, math, script, style, .cm-editor'
  const isSkipped = element => {
    if (element.closest(skipped)) return true
    const marked = element.closest('[lang]')
    return marked !== document.documentElement && marked.lang !== document.documentElement.lang
  }
  const texts = []
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() && !isSkipped(element) && (element.checkVisibility() || element.closest('select')?.checkVisibility())) {
      texts.push(node.data.trim())
    }
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
    if (!element.checkVisibility() || isSkipped(element)) continue
    for (const name of ['aria-label', 'title', 'placeholder']) {
      // The placeholder of the top line's field is the model's answer.
      const text = name === 'placeholder' && element.dataset.field ? '' : element.getAttribute(name)?.trim()
      if (text) texts.push(text)
    }
  }
  return [...new Set(texts)]
})

/**
 * The texts that have no character of a script, but words that are neither numbers, names, code nor the model's.
 * @param {string[]} texts @param {RegExp} script @param {string[]} tokens of the model, and words of its input
 */
export function foreignTexts(texts, script, tokens) {
  const known = new Set([...NAMES, ...tokens.map(token => token.replace('␣', ''))])
  const isForeign = word => /\p{L}{2}/u.test(word) && !known.has(word) && !CODE.test(word)
  // Tokens that are no characters are shown as bytes.
  const words = text => text.replace(/⟨[\dA-F ]+⟩/g, '').split(/[\s,;、·“”"'’‘×→⋯…␣]+/u)
  return texts.filter(text => !script.test(text) && words(text).some(isForeign))
}
