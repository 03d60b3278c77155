// Chunks of a chosen file in browsers, whose garbage collector may take streams that are being read.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findFirefox, launchFirefox } from './firefox.js'
import { launch, serve } from './host.js'

const ROUNDS = 6, SIZE = 2 ** 22, TIMEOUT = 10_000

/** In the page: reads parts of a file several at a time. Returns how many were right, or null if one does not end. */
const readMany = async ([module, rounds, size, timeout]) => {
  const { openBlob } = await import(module)
  const bytes = new Uint8Array(size).map((_, i) => i % 251)
  const file = new File([bytes], 'file'), source = openBlob('file', file)
  const isRight = (read, from) => read.every((byte, i) => byte === (from + i) % 251)
  const readOne = async (method, from) => {
    const read = await source[method](from, size)
    return read.length === size - from && isRight(read, from)
  }
  let count = 0
  for (let round = 0; round < rounds; round++) {
    const reads = ['read', 'readChunk', 'read', 'readChunk'].map((method, i) => readOne(method, 7 * i))
    const waited = new Promise(resolve => { setTimeout(resolve, timeout, null) })
    const results = await Promise.race([Promise.all(reads), waited])
    if (!results) return null
    count += results.filter(Boolean).length
  }
  return count
}

const site = await serve({ 'empty.html': '<!doctype html><title>empty</title>' }, { js: '../../src/js/' })
const ADDRESS = `${site.url}empty.html`, READS = [`${site.url}js/files/file_reader.js`, ROUNDS, SIZE, TIMEOUT]
after(() => site.close())

test('parts of a file that are read several at a time all arrive', async () => {
  const browser = await launch(), page = await browser.newPage()
  after(() => browser.close())
  await page.goto(ADDRESS)
  const session = await page.context().newCDPSession(page)
  let isOver = false
  const reads = page.evaluate(readMany, READS).finally(() => { isOver = true })
  while (!isOver) await session.send('HeapProfiler.collectGarbage')
  assert.equal(await reads, 4 * ROUNDS)
})

test('and in Firefox', { skip: !findFirefox() && 'no Firefox' }, async () => {
  const fox = await launchFirefox(findFirefox())
  after(() => fox.close())
  await fox.goto(ADDRESS)
  assert.equal(await fox.evaluate(readMany, READS), 4 * ROUNDS)
})
