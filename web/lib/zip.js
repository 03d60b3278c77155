/**
 * Writes files into a ZIP archive, without compression.
 *
 * A library would copy hundreds of megabytes of weights into one more block, or write sizes after the data, which
 * streaming readers reject for stored files.
 */

/** The CRC-32 table (ISO 3309). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let c = byte
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ c >>> 1 : c >>> 1
  return c
})

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let c = -1
  for (let i = 0; i < bytes.length; i++) c = TABLE[(c ^ bytes[i]) & 255] ^ c >>> 8
  return ~c >>> 0
}

const LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50
/** The required version, and the flag for UTF-8 names. */
const VERSION = 20, UTF8 = 0x800
/** The earliest date of the format, 1 January 1980: equal files give equal bytes. */
const DATE = 0x21

/**
 * Encodes the fields of a header.
 * @param {...[2 | 4, number]} fields their widths in bytes and values
 */
function header(...fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0)), view = new DataView(bytes.buffer)
  let offset = 0
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(offset, value, true)
    else view.setUint32(offset, value, true)
    offset += width
  }
  return bytes
}

/**
 * @param {Record<string, string | Uint8Array>} files by name @param {string} folder the folder of the files
 * @returns {Uint8Array[]} the chunks of the archive, in order
 */
export function createZip(files, folder) {
  /** @type {Uint8Array[]} */ const parts = [], /** @type {Uint8Array[]} */ entries = []
  const text = new TextEncoder()
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const path = text.encode(`${folder}/${name}`), data = typeof content === 'string' ? text.encode(content) : content
    /** The common fields of both headers of a file: method, date, checksum, sizes. @type {[2 | 4, number][]} */
    const commonFields = [[2, VERSION], [2, UTF8], [2, 0], [2, 0], [2, DATE], [4, crc32(data)], [4, data.length],
      [4, data.length], [2, path.length], [2, 0]]
    const local = header([4, LOCAL], ...commonFields)
    parts.push(local, path, data)
    entries.push(header([4, CENTRAL], [2, VERSION], ...commonFields, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path)
    offset += local.length + path.length + data.length
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0), count = entries.length / 2
  return [...parts, ...entries,
    header([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0])]
}
