/**
 * Color scales, interpolated in OKLab so that equal steps look equal. Signed values run from blue through paper to
 * amber, a pair that survives the common kinds of color blindness; probabilities run from paper to the green of a glass
 * pane's edge. A dropout mask has only two values, so its factors run from paper to a pale shade.
 */

/** @import { Mode } from '../types.d.ts' */

/** @typedef {[number, number, number]} Triple */
/** @typedef {{ css: string, ink: string, packed: number }} Color */

const STEPS = 256

const THEMES = {
  light: { paper: '#fcfcfa', negative: '#1c5fae', positive: '#b65408', probability: '#0a5f50', factor: '#dfe9e4' },
  dark: { paper: '#15191b', negative: '#62a8f5', positive: '#f2a154', probability: '#7fe0c4', factor: '#2a3735' }
}

/** The two text colors, nearly black and white: with less contrast, neither would be readable on some cell colors. */
const [DARK, PALE] = ['#050505', '#ffffff']

/** @param {number} byte */
const toLinear = byte => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4)
/** @param {number} x */
const toGamma = x => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)
/** @param {number} x */
const toByte = x => Math.round(255 * Math.min(1, Math.max(0, toGamma(x))))

/** @param {string} hex @returns {Triple} */
function parseHex(hex) {
  const n = Number.parseInt(hex.slice(1), 16)
  return [n >> 16, (n >> 8) & 255, n & 255]
}

/** @param {Triple} rgb @returns {Triple} */
function toLab([red, green, blue]) {
  const [r, g, b] = [toLinear(red), toLinear(green), toLinear(blue)]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  ]
}

/** @param {number[]} lab @returns {Triple} */
function fromLab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    toByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toByte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  ]
}

/** @param {Triple} rgb */
const luminance = ([r, g, b]) => 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b)

/** WCAG contrast of two colors given as bytes. @param {Triple} a @param {Triple} b */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

/** @param {string} from @param {string} to */
function createRamp(from, to) {
  const [a, b] = [toLab(parseHex(from)), toLab(parseHex(to))]
  return Array.from({ length: STEPS }, (_, i) => {
    const rgb = fromLab(a.map((x, k) => x + (b[k] - x) * (i / (STEPS - 1))))
    const ink = contrast(rgb, parseHex(DARK)) >= contrast(rgb, parseHex(PALE)) ? DARK : PALE
    return { css: `rgb(${rgb.join(' ')})`, ink, packed: (255 << 24 | rgb[2] << 16 | rgb[1] << 8 | rgb[0]) >>> 0 }
  })
}

/**
 * A color mixed with its ink, packed.
 * @param {Color} color @param {number} weight from 0, the color itself, to 1, its ink
 */
export function mixWithInk({ packed, ink }, weight) {
  const [red, green, blue] = parseHex(ink)
  /** @param {number} shift @param {number} inkByte */
  const mixChannel = (shift, inkByte) =>
    Math.round(((packed >>> shift) & 255) * (1 - weight) + inkByte * weight) << shift
  return (255 << 24 | mixChannel(16, blue) | mixChannel(8, green) | mixChannel(0, red)) >>> 0
}

/** @type {Map<Mode, Record<string, Color[]>>} */ const ramps = new Map()

/** @param {Mode} mode @returns {Record<string, Color[]>} */
function getRamps(mode) {
  if (!ramps.has(mode)) {
    const theme = THEMES[mode]
    ramps.set(mode, {
      negative: createRamp(theme.paper, theme.negative),
      positive: createRamp(theme.paper, theme.positive),
      probability: createRamp(theme.paper, theme.probability),
      factor: createRamp(theme.paper, theme.factor)
    })
  }
  return /** @type {Record<string, Color[]>} */ (ramps.get(mode))
}

/**
 * @typedef {{ kind: 'signed' | 'probability' | 'factor', min: number, max: number }} Domain
 * @typedef {Domain & { at(value: number): Color }} Scale
 */

/** A symmetric domain for signed values. @param {number} max @returns {Domain} */
export const signedDomain = max => ({ kind: 'signed', min: -max, max })

/** The domain of probabilities. @param {number} [max] of fractions that are all small @returns {Domain} */
export const probabilityDomain = (max = 1) => ({ kind: 'probability', min: 0, max })

/** The domain of a mask's factors. @param {number} max @returns {Domain} */
export const factorDomain = max => ({ kind: 'factor', min: 0, max })

/**
 * The color scale of a domain.
 * @param {Domain} domain
 * @param {'light' | 'dark'} mode
 * @returns {Scale}
 */
export function createScale(domain, mode) {
  const { negative, positive, ...unsignedRamps } = getRamps(mode)
  const maxMagnitude = domain.max || 1
  /** @param {number} value */
  const colorIndex = value => Math.min(STEPS - 1, Math.round((Math.abs(value) / maxMagnitude) * (STEPS - 1))) || 0
  const ramp = unsignedRamps[domain.kind]
  if (ramp) return { ...domain, at: value => ramp[colorIndex(value)] }
  return { ...domain, at: value => (value < 0 ? negative : positive)[colorIndex(value)] }
}
