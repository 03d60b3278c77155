/** Formats byte counts. */

const UNITS = ['B', 'KB', 'MB', 'GB']

/** @param {number} bytes */
export function formatBytes(bytes) {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** unit
  return `${unit === 0 ? value : value.toPrecision(3)} ${UNITS[unit]}`
}
