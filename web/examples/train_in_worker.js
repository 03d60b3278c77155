// Training in a worker: the main thread stays free, and hears of every tenth step. In a browser, `new Worker(url,
// { type: 'module' })` and `self.postMessage` take the places of Node's.
import { Worker, isMainThread, parentPort } from 'node:worker_threads'

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url))
  let beats = 0
  const heart = setInterval(() => { beats += 1 }, 1)
  worker.on('message', ({ step, loss }) => console.log(`step ${step}: loss ${loss.toFixed(4)}`))
  worker.on('exit', () => {
    clearInterval(heart)
    console.log(`the main thread was free: ${beats > 0}`)
  })
} else {
  const { load } = await import('glassformer')
  const gf = await load(), { nn, functional: F, optim } = gf
  gf.manualSeed(4)
  const layer = new nn.TransformerEncoderLayer(16, 2, { dimFeedforward: 32, dropout: 0 })
  const optimizer = new optim.Adam(layer.parameters(), { lr: 1e-3 }), x = gf.randn([8, 10, 16])
  const wanted = x.flip(1)
  for (let step = 0; step <= 50; step++) gf.tidy(() => {
    const loss = F.mseLoss(layer.forward(x), wanted)
    optimizer.zeroGrad()
    loss.backward()
    optimizer.step()
    if (step % 10 === 0) parentPort?.postMessage({ step, loss: loss.item() })
  })
}
