// Reads a ZIP archive of uncompressed files by the central directory at its end, as unpackers do.
import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'

/** @param {Uint8Array} bytes @returns {Record<string, Buffer>} by path */
export function unzip(bytes) {
  const file = Buffer.from(bytes), end = file.length - 22
  assert.equal(file.readUInt32LE(end), 0x06054b50, 'the end of the directory')
  const count = file.readUInt16LE(end + 10), start = file.readUInt32LE(end + 16)
  assert.equal(start + file.readUInt32LE(end + 12), end, 'the directory must end before the end record')
  const files = {}
  let at = start
  for (let i = 0; i < count; i++) {
    assert.equal(file.readUInt32LE(at), 0x02014b50)
    const method = file.readUInt16LE(at + 10), checksum = file.readUInt32LE(at + 16), size = file.readUInt32LE(at + 24)
    const nameLength = file.readUInt16LE(at + 28), localHeader = file.readUInt32LE(at + 42)
    const name = file.toString('utf8', at + 46, at + 46 + nameLength)
    assert.equal(method, 0, 'stored')
    assert.equal(file.readUInt32LE(localHeader), 0x04034b50)
    assert.deepEqual(file.subarray(localHeader + 4, localHeader + 30), file.subarray(at + 6, at + 32), 'the headers must be equal')
    const data = localHeader + 30 + file.readUInt16LE(localHeader + 26) + file.readUInt16LE(localHeader + 28)
    files[name] = file.subarray(data, data + size)
    assert.equal(crc32(files[name]), checksum, `the checksum of ${name}`)
    at += 46 + nameLength
  }
  assert.equal(at, end)
  return files
}
