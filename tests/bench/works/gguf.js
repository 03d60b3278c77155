// GGUF files with weights in few bits, in the shapes of SmolLM2-135M and Llama-3.2-1B: a token with 255 in the cache,
// and a prompt of 256, beside llama.cpp (wllama) with the same file; each with one thread and two. Only in browsers.
import { fasterThan } from '../lib/claims.js'
import { WLLAMA } from '../lib/peers.js'

const PAST = 255, TWO = ', two threads', TARGET = 1.5
/** Of log probabilities, relative to the largest: llama.cpp rounds the input to 8 bits, here it has 15 or 16. */
const TOLERANCE = 0.05
const SHAPES = {
  'SmolLM2-135M': { channels: 576, layers: 30, heads: 9, kvHeads: 3, inner: 1536, vocabSize: 49152, base: 1e5 },
  'Llama-3.2-1B': { channels: 2048, layers: 16, heads: 32, kvHeads: 8, inner: 8192, vocabSize: 128256, base: 5e5 }
}
const DTYPES = { 'SmolLM2-135M': ['q8_0', 'q4_0'], 'Llama-3.2-1B': ['q4_0', 'q4_k'] }
const tokensOf = (vocabSize, count) => Array.from({ length: count }, (_, i) => 300 + i * 197 % (vocabSize - 300))

/** Our side: a model whose cache has the tokens before. @param {Blob} file @param {number[]} past */
async function openOurs(file, past) {
  const { load } = await import('../../../src/js/index.js'), gf = await load({ threads: 2 })
  const { model } = await gf.models.load({ 'model.gguf': file }), cache = new gf.decoding.Cache(PAST + 2)
  const forward = tokens => gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward([tokens], { cache, logitsToKeep: 1 })
    const values = gf.functional.logSoftmax(logits).data.slice()
    cache.truncate(past.length)
    return values
  }))
  if (past.length) gf.tidy(() => gf.noGrad(() => void model.forward([past], { cache, logitsToKeep: 1 })))
  return { run: forward, alone: tokens => gf.threads.alone(() => forward(tokens)), threads: gf.threads.count }
}

/** @param {ArrayLike<number>} values @param {ArrayLike<number>} exact */
function check(values, exact) {
  let error = 0, largest = 0
  for (let i = 0; i < exact.length; i++) {
    error = Math.max(error, Math.abs(values[i] - exact[i]))
    largest = Math.max(largest, Math.abs(exact[i]))
  }
  if (!(error <= TOLERANCE * largest)) throw new Error(`log probabilities differ by ${error} of ${largest}`)
}

/** @param {keyof typeof SHAPES} name @param {string} dtype @param {number[]} past @param {number[]} tokens */
async function prepare(name, dtype, past, tokens) {
  const { openWllama, randomLlama } = await import('../lib/wllama.js'), file = await randomLlama(SHAPES[name], dtype)
  const ours = await openOurs(file, past), peers = [await openWllama(file), await openWllama(file, 2)]
  if (ours.threads !== 2) throw new Error('two threads are not available here')
  const exact = ours.run(tokens)
  for (const peer of peers) {
    if (past.length) await peer.add(past)
    check(await peer.logProbabilities(tokens, past.length), exact)
  }
  const [one, two] = peers.map(peer => ({ time: () => peer.time(tokens, past.length) }))
  return { sides: {
    ours: { run: () => ours.alone(tokens) }, [`ours${TWO}`]: { run: () => ours.run(tokens) }, [WLLAMA]: one, [WLLAMA + TWO]: two
  } }
}

const claims = [fasterThan('ours', WLLAMA, TARGET), fasterThan(`ours${TWO}`, WLLAMA + TWO, TARGET), fasterThan(`ours${TWO}`, 'ours')]

export default Object.entries(DTYPES).flatMap(([name, dtypes]) => dtypes.flatMap(dtype => {
  const all = tokensOf(SHAPES[name].vocabSize, PAST + 1)
  return [
    { name: `a token of ${name}'s shape in ${dtype}, ${PAST} in the cache`, claims, prepare: () => prepare(name, dtype, all.slice(0, PAST), all.slice(PAST)) },
    { name: `a prompt of ${all.length} tokens, ${name}'s shape in ${dtype}`, claims, prepare: () => prepare(name, dtype, [], all) }
  ]
}))
