/** The dtype in which the weights of a model are read: a sentence why, and a choice. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { formatBytes } from './format_bytes.js'

/** @import { Inspection, Translate } from '../types.d.ts' */
/** @import { Choice, Dtype } from '../models/imported/choose_dtype.js' */

/**
 * @param {Translate} t @param {Inspection['choice']} choice @param {(dtype: Dtype) => void} onChoose
 */
export function createDtypeView(t, { choices, dtype: proposed, reason, stored, room }, onChoose) {
  /** @param {Dtype} dtype */
  const nameOf = dtype => (dtype === 'file' ? stored ?? '' : dtype)
  /** @param {number} bytes */
  const bytesOf = bytes => formatBytes(bytes).replace(' ', '\u00a0')
  const [wide] = choices, asStored = choices.find((/** @type {Choice} */ one) => nameOf(one.dtype) === stored) ?? wide
  const values = { stored: stored ?? '', wide: bytesOf(wide.bytes), bytes: bytesOf(asStored.bytes), room: bytesOf(room) }
  const sentence = h('p', {}), id = uniqueId('dtype')
  /** @param {Dtype} dtype */
  function update(dtype) {
    const because = dtype === proposed ? reason : 'chosen'
    setText(sentence, t(`bring.${because}`, { ...values, dtype: nameOf(dtype) }))
  }
  const select = h('select', { id, 'data-field': 'dtype', onchange() {
    const dtype = /** @type {Dtype} */ (select.value)
    update(dtype)
    onChoose(dtype)
  } }, choices.map((/** @type {Choice} */ { dtype, bytes, isPossible }) => h('option', {
    value: dtype, ...(dtype === proposed && { selected: '' }), ...(!isPossible && { disabled: '' })
  }, bytes ? `${nameOf(dtype)} (${bytesOf(bytes)})` : nameOf(dtype))))
  update(proposed)
  return h('div', { className: 'bring-dtype' }, sentence, h('p', {}, h('label', { for: id }, t('bring.dtype')), ' ', select))
}
