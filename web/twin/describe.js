/** A setting of a comparison, in words. */

import { fullName } from '../lib/ablation_parts.js'
import { groupEdits } from '../lib/edits.js'

/** @import { Edit, Translate } from '../types.d.ts' */
/** @import { Part } from '../lib/ablation_parts.js' */

/**
 * An alternative value of a setting, with the key of its label and that of the current one; for an ablated part,
 * the part.
 * @typedef {{ value: unknown, word?: string, now?: string, part?: Part, key?: string }} Alternative
 * @typedef {{ name: string } & Alternative} Comparison
 */

/** A setting's value in words. @param {Comparison} comparison @param {Translate} t */
const describeValue = ({ name, value, word }, t) => {
  if (name === 'text') return t('twin.text.of', { text: value })
  if (name === 'edits') return t(`twin.edits.${word}`, { count: groupEdits(/** @type {Edit[]} */ (value)).length })
  return word ? t(`controls.${name}.${word}`) : String(value)
}

/**
 * A setting and its value, in words.
 * @param {Comparison} setting @param {Translate} t
 */
export const describeComparison = (setting, t) => (
  setting.part ? t(`twin.without.${setting.word}`, { part: fullName(setting.part, t) }) : ['edits', 'text'].includes(setting.name) ? describeValue(setting, t)
    : `${t(`controls.${setting.name}.label`)}: ${describeValue(setting, t)}`)
