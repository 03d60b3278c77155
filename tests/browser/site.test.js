// The built files, as a host sends them.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

const DIST = new URL('../../dist/', import.meta.url)
const read = name => readFile(new URL(name, DIST))

test('every compressible file has compressed copies: two formats, one for weights', async () => {
  const names = (await readdir(new URL('site/', DIST), { recursive: true }))
    .filter(name => /\.(html|js|css|json|wasm|safetensors)$/.test(name) && name !== 'glassformer.html')
  assert.ok(names.some(name => name.startsWith('chunks/')))
  for (const name of names) {
    const bytes = await read(`site/${name}`)
    assert.deepEqual(gunzipSync(await read(`site/${name}.gz`)), bytes, name)
    if (!name.endsWith('.safetensors')) assert.deepEqual(brotliDecompressSync(await read(`site/${name}.br`)), bytes, name)
  }
})

test('the single file has its chunks inside', async () => {
  const html = await read('glassformer.html')
  assert.equal(html.includes('chunks/'), false)
  assert.ok(html.includes('is not a registered'), 'a complaint of Chart.js, which is imported late')
})
