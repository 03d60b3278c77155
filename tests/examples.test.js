// Every script of web/examples runs with the package as npm has it, and says what it promises.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const folder = new URL('../web/examples/', import.meta.url)
const run = promisify(execFile)

/** What must stand in what an example prints, and what it may be held to. */
const SAYS = {
  'bert_classifier.js': out => assert.ok(number(out, /([\d.]+) % of 500/) >= 95, out),
  'contrastive.js': out => {
    const [first, last] = [number(out, /loss ([\d.]+) ->/), number(out, /-> ([\d.]+),/)]
    assert.ok(last < first / 2, out)
    assert.match(out, /the same as a cross-entropy: true/)
  },
  'kv_cache.js': out => assert.match(out, /the same 100 ids: true/),
  'llama_block.js': out => assert.match(out, /changes nothing before: true\na gradient for each of 9 tensors/),
  'load_gpt2.js': out => assert.match(out, /^gpt2: 22200 parameters, 88800 bytes; missing 0, problems 0\nOnce upon a time/),
  'nanogpt.js': out => assert.match(out, /\nthe cat sat on the mat\. $/m),
  'rope.js': out => assert.equal(out.match(/wherever they stand: true/g).length, 2),
  'train_in_worker.js': out => {
    assert.ok(number(out, /step 50: loss ([\d.]+)/) < number(out, /step 0: loss ([\d.]+)/), out)
    assert.match(out, /the main thread was free: true/)
  }
}

const number = (text, pattern) => Number(pattern.exec(text)?.[1] ?? NaN)

test('every example is run', async () => {
  assert.deepEqual((await readdir(folder)).filter(name => name !== 'pages').sort(), Object.keys(SAYS).sort())
})

for (const [name, holds] of Object.entries(SAYS)) test(name, async () => {
  const { stdout } = await run(process.execPath, [fileURLToPath(new URL(name, folder))])
  holds(stdout)
})
