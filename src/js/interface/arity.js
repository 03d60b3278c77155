import { GlassformerError, describe, hints, isPlain } from '../errors.js'

/** JavaScript ignores surplus arguments. Here they are an error, since a call with them means something else. */

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/**
 * Throws if there are more than `max` arguments.
 * @param {string} name @param {number} max @param {readonly unknown[]} args
 * @param {string} [order] the arguments that it takes, in words
 */
export function expectArgumentCount(name, max, args, order = max === 1 ? 'one argument' : `${max} arguments at most`) {
  if (args.length <= max) return
  const surplus = args[max], isOption = ['number', 'boolean'].includes(typeof surplus) && isPlain(args[max - 1])
  const words = max === 0 ? 'no arguments, but got' : `${order}, but also got a ${ORDINALS[max] ?? 'further one'}:`
  const hint = hints.surplus(order, surplus) || (isOption ? '; options go into one object at the end' : isPlain(surplus) ? `; ${name} has no options` : '')
  throw new GlassformerError('type', `${name}: takes ${words} ${describe(surplus)}${hint}`)
}
