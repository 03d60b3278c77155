// Digests of a fixed set of runs: of every tensor and every gradient of the page's models, with trained and random
// weights, dropout and sampling, and of a short training. Equal digests mean equal bits. This file is bundled and runs
// wherever there is WebAssembly.
import { load } from '../../src/js/index.js'
import { defaultsOf, filesFor, modelOf } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { gradientsOf } from '../../web/worker/serialize_run.js'

const SETTINGS = [
  { model: 'dates' }, { model: 'dates', training: true, dropout: 0.3, decoding: 'sample', topK: 5, temperature: 1.3 },
  { model: 'dates', weights: 'untrained', normFirst: true, activation: 'gelu', dModel: 24, heads: 3, layers: 1 },
  { model: 'particles', gapped: '나[?] 빵[?] 먹었다' }, { model: 'stories', beginning: '다윤은' },
  { model: 'induction' },
  { model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2, beginning: '다윤은' },
  { model: 'sentences', text: 'I wonder what will come next\n나는 최근 파리 여행을 다녀왔다', base: 100, causal: true }
]

/** @param {number} digest @param {ArrayBufferView} view */
function addToDigest(digest, view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let i = 0; i < bytes.length; i++) digest = Math.imul(digest ^ bytes[i], 16777619)
  return digest >>> 0
}

/** The digest of a short training of a small model with dropout. @param {any} gf */
function digestOfTraining(gf) {
  gf.manualSeed(7)
  const model = new gf.nn.TransformerEncoderLayer(12, 3, { dimFeedforward: 20, dropout: 0.2, activation: 'gelu' })
  const optimizer = new gf.optim.AdamW(model.parameters(), { lr: 0.01 })
  for (let step = 0; step < 5; step++) {
    gf.tidy(() => {
      optimizer.zeroGrad()
      model.forward(gf.randn([2, 7, 12])).mul(gf.rand([2, 7, 12])).sum().backward()
      optimizer.step()
    })
  }
  return model.parameters().reduce((digest, { values }) => addToDigest(digest, values), 1)
}

/**
 * @param {BufferSource} wasm @param {(model: string, name: string) => Promise<Uint8Array>} readFile
 * @param {Parameters<typeof load>[0]['threads']} [threads]
 * @returns {Promise<number[]>} a digest of each run, and one of the training
 */
export async function computeDigests(wasm, readFile, threads) {
  const gf = await load({ wasm, threads }), results = []
  for (const settings of SETTINGS) {
    const allSettings = { ...defaultsOf(settings.model), ...settings }
    const files = await Promise.all(filesFor(allSettings).map(name => readFile(modelOf(settings.model).id, name)))
    const { run } = RUNS[settings.model](gf, allSettings, [], files)
    let digest = 1
    for (const name of run.names) digest = addToDigest(digest, run.tensor(name).values)
    for (const gradient of gradientsOf(run).values()) digest = addToDigest(digest, gradient)
    results.push(digest)
    run.dispose()
  }
  return [...results, digestOfTraining(gf)]
}
