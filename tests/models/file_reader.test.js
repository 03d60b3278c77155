// Chunks of files: the same bytes as the file's, one after another in the same buffer.
import assert from 'node:assert/strict'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openBlob, openHandle } from '../../src/js/files/file_reader.js'

const BYTES = Uint8Array.from({ length: 300_001 }, (_, i) => i * i % 251)
const RANGES = [[0, 8], [8, 200_000], [200_000, 300_001], [150_000, 150_000], [5, 6]]

const folder = await mkdtemp(join(tmpdir(), 'chunks-')), path = join(folder, 'file')
await writeFile(path, BYTES)
const handle = await open(path)
after(async () => {
  await handle.close()
  await rm(folder, { recursive: true })
})

/** A Blob whose streams fill no buffers of the caller, as Safari's. */
const streamless = blob => ({
  size: blob.size, slice: (from, to) => streamless(blob.slice(from, to)), arrayBuffer: () => blob.arrayBuffer()
})

const SOURCES = {
  'a Blob': () => openBlob('file', new Blob([BYTES])),
  'a Blob without such streams': () => openBlob('file', streamless(new Blob([BYTES]))),
  'a file handle': () => openHandle('file', handle)
}

for (const [kind, openSource] of Object.entries(SOURCES)) {
  test(`${kind}: the bytes of any range, with read and with readChunk`, async () => {
    const source = await openSource()
    assert.deepEqual([source.name, source.size], ['file', BYTES.length])
    for (const [from, to] of RANGES) {
      assert.deepEqual(await source.readChunk(from, to), BYTES.slice(from, to))
      assert.deepEqual(await source.read(from, to), BYTES.slice(from, to))
    }
  })

  test(`${kind}: chunks requested at the same time do not overwrite each other, nor what read returned`, async () => {
    const source = await openSource(), bytes = await source.read(7, 1000)
    await source.readChunk(0, 200_000)
    const chunks = await Promise.all(RANGES.map(([from, to]) => source.readChunk(from, to)))
    assert.deepEqual(chunks, RANGES.map(([from, to]) => BYTES.slice(from, to)))
    assert.deepEqual(bytes, BYTES.slice(7, 1000))
  })
}

test('a chunk lies in the buffer of the chunk before it', async () => {
  const blob = openBlob('file', new Blob([BYTES])), first = await blob.readChunk(0, 200_000)
  assert.equal((await blob.readChunk(200_000, 300_001)).buffer.byteLength, 200_000)
  assert.equal(first.buffer.byteLength, 0, 'it has been transferred')
  const file = await openHandle('file', handle), { buffer } = await file.readChunk(0, 200_000)
  assert.equal((await file.readChunk(200_000, 300_001)).buffer, buffer)
})

test('a file that has become shorter is an error that says where it ends', async () => {
  const source = await openHandle('cut', handle)
  await truncate(path, 1000)
  await assert.rejects(async () => source.readChunk(900, 1100),
    { code: 'format', message: /cut: the file ended at byte 1000, expected 1100/ })
  await writeFile(path, BYTES)
  const blob = new Blob([BYTES]), cut = { size: blob.size, slice: (from, to) => blob.slice(from, to - 9) }
  await assert.rejects(openBlob('cut', cut).readChunk(0, 100),
    { code: 'format', message: /cut: expected 100 bytes from 0 to 100, got 91/ })
})

test('a file that cannot be read has the error of arrayBuffer, which says why', async () => {
  const stream = () => new ReadableStream({ type: 'bytes', pull: controller => controller.error(new TypeError('network error')) })
  const slice = () => ({ size: 9, stream, arrayBuffer: () => Promise.reject(new Error('the file has changed')) })
  await assert.rejects(openBlob('file', { size: 9, slice }).readChunk(0, 9), /the file has changed/)
})
