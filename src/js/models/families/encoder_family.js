import { checkDivides } from '../config.js'
import { Encoder } from '../encoder.js'
import { nameModel } from './named_model.js'

/**
 * A family of encoder-only models: a description made from config.json, and the names of its tensors.
 *
 * @typedef {import('../encoder.js').EncoderDescription} EncoderDescription
 * @typedef {import('../config.js').Config} Config
 * @typedef {import('../plan.js').Row} Row
 *
 * @typedef {object} EncoderFamily
 * @property {string} type model_type in config.json
 * @property {string} prefix of the encoder's keys in classes with a head
 * @property {{ base: string, maskedLM: string }} architectures Hugging Face's classes without and with the masked
 *   language modeling head
 * @property {Record<string, string>} keys of the file by module; 'layer.{n}' is the prefix of a layer, or that of the
 *   {inner}th layer of a {group}. A slash at the start: a key without prefix
 * @property {(description: EncoderDescription) => Record<string, import('./decoder_family.js').Fused>} [fused]
 * @property {readonly RegExp[]} [ignored] keys that may be left unread
 * @property {import('../index.js').Family['heads']} heads
 * @property {readonly string[]} [biasAliases] other keys of the bias of the masked language modeling head
 * @property {(config: Config, shapeOf: (key: string) => readonly number[] | undefined) => EncoderDescription} describe
 */

/** Queries, keys and values are one matrix here and three in the file. */
const PACKED = /^(.*self_attn)\.in_proj_(weight|bias)$/

/** @param {string} target a key of the state dict */
function splitTarget(target) {
  const [, n, path = target] = /^(?:stack\.)?layer\.(\d+)\.(.*)$/.exec(target) ?? []
  return { n, path }
}

/** @param {EncoderFamily} family @returns {import('../index.js').Family<EncoderDescription>} */
export function encoderFamily({
  type, prefix, architectures, keys, fused = () => ({}), ignored = [], heads, biasAliases = [], describe
}) {
  const layerKey = (/** @type {number} */ n, /** @type {EncoderDescription} */ { sharing }) => {
    const { perGroup } = sharing ?? { perGroup: 1 }, [group, inner] = [Math.floor(n / perGroup), n % perGroup]
    return keys['layer.{n}'].replace('{n}', String(n)).replace('{group}', String(group)).replace('{inner}', String(inner))
  }
  /** @param {string} target @param {EncoderDescription} description @returns {Row[]} */
  function rowsOf(target, description) {
    const { n, path } = splitTarget(target)
    const layer = n === undefined ? '' : `${layerKey(Number(n), description)}.`
    const [, module, packed] = PACKED.exec(path) ?? []
    if (packed) return ['q', 'k', 'v'].map((name, i) => (
      { key: `${layer}${keys[`${module}.${name}`]}.${packed}`, target, chunk: /** @type {[number, number]} */ ([i, 3]) }))
    const [, owner, suffix] = /** @type {RegExpExecArray} */ (/^(.*)\.(\w+)$/.exec(path))
    const [key, part] = Object.entries(fused(description))
      .find(([, { parts }]) => parts.some(([name]) => name === owner)) ?? []
    const name = key ?? keys[owner] ?? owner, file = `${layer}${name}.${suffix}`.replace(/^\//, '')
    const aliases = owner === 'embeddings.word_embeddings' || path !== 'predictions.bias' ? [] : biasAliases
    const index = part ? part.parts.findIndex(([owned]) => owned === owner) : 0
    const sizes = part?.parts.map(([, rows]) => rows) ?? []
    const sum = (/** @type {number[]} */ list) => list.reduce((total, size) => total + size, 0)
    return [{
      key: file, target, ...(aliases.length && { aliases }),
      ...(part && {
        part: { groups: part.groups, total: sum(sizes), from: sum(sizes.slice(0, index)), rows: sizes[index] }
      })
    }]
  }
  const unprefixed = Object.values(keys).filter(key => key.startsWith('/')).map(key => key.slice(1))
  return {
    type,
    prefixes: [`${prefix}.`],
    ignored,
    heads,
    Model: nameModel(Encoder, architectures.base),
    readSettings(config, shapeOf) {
      const description = describe(config, shapeOf)
      checkDivides('hidden_size', description.channels, 'num_attention_heads', description.heads)
      return description
    },
    toHuggingFace: description => ({
      settings: description,
      config: { architectures: [description.hasMaskedLMHead ? architectures.maskedLM : architectures.base] },
      // Without a head the keys have no prefix.
      toKey: key => (!(description.hasMaskedLMHead || description.head) ||
        unprefixed.some(start => key.startsWith(`${start}.`)) ? key : `${prefix}.${key}`)
    }),
    rows: (description, state) => Object.keys(state).filter(key => !key.startsWith('head.'))
      .flatMap(target => rowsOf(target, description))
  }
}
