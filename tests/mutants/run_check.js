// Runs the models of a copy, applies the project's check to the results and prints how many tensors it finds wrong:
// `node run_check.js <copy> <project>`.
const [copy, project] = process.argv.slice(2)
const { pageRun } = await import(`${copy}tests/lib/page.js`)
const { recompute } = await import(`${project}web/check/recompute.js`)
const { gradientsOf } = await import(`${project}web/worker/serialize_run.js`)

const llama = { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }
const RUNS = [
  {}, { training: true, dropout: 0.3, topK: 5, temperature: 1.7, target: '2026년 11월', padding: true },
  { weights: 'untrained', normFirst: true, activation: 'gelu', dModel: 16, heads: 2, layers: 2, dimFeedforward: 12, target: '2026년' },
  { model: 'sentences', text: 'one two three\nfour five', dModel: 10, heads: 2, maxLength: 6 },
  { model: 'particles', gapped: '나[?] 빵[?] 먹었다', topK: 3 },
  { model: 'stories', target: '갔어요' }, { model: 'induction' }, { model: 'stories', target: '갔어요', ...llama }
]
let wrong = 0, first
for (const settings of RUNS) {
  const run = pageRun(settings)
  for (const { name, part, errorRatio } of recompute({ ...run, gradients: gradientsOf(run.workerRun.run) })) {
    if (errorRatio <= 1) continue
    first ??= `${part} ${name}`
    wrong += 1
  }
  run.dispose()
}
console.log(JSON.stringify({ wrong, runs: RUNS.length, first }))
