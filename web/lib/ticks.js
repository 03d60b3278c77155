/** The numbers of an axis. */

import { formatFixed } from './number.js'

const ROUND_STEPS = [1, 2, 5, 10]

/** Round values between two ends, at most about `count`. @param {number[]} ends @param {number} count */
export function listTicks([low, high], count) {
  const minStep = (high - low) / Math.max(1, count)
  if (!(minStep > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(minStep))
  const step = ROUND_STEPS.map(factor => factor * power).find(size => size >= minStep * 0.999) ?? 10 * power
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/**
 * How many decimals tell neighboring ticks apart.
 * @param {number[]} values @param {number} min at least so many
 */
export function countDecimals([first, second = NaN], min) {
  const distance = Math.abs(second - first)
  return distance > 0 ? Math.max(min, Math.ceil(-Math.log10(distance) - 1e-9)) : min
}

/**
 * A tick's value, with as many decimals as the ticks of the axis need.
 * @param {number} value @param {number[]} ticks
 */
export const formatTick = (value, ticks) => (
  formatFixed(value, ticks.every(Number.isInteger) ? 0 : ticks.some(tick => Math.abs(tick * 10 % 1) > 1e-6) ? 2 : 1))
