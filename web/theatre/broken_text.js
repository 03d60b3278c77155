/** Says where numbers of a training are no longer finite. */

/** @import { Translate } from '../types.d.ts' */
/** @import { Broken } from '../../src/training/player.js' */

/** @param {Translate} t @param {Broken} broken */
export function brokenText(t, { step, loss, where }) {
  const place = where ? t(where.isGradient ? 'theatre.gradientOf' : 'theatre.tensor', { name: where.name })
    : t('theatre.gradientsTogether')
  return t(Number.isFinite(loss) ? 'theatre.brokenBack' : 'theatre.broken', {
    step, loss: String(loss), place, before: step - 1
  })
}
