/** The trained weights of the stories: of the model as it is, with one part exchanged, and with all of a Llama's. */

/** @typedef {{ positions: string, activation: string, norm: string, kvHeads: number }} Exchanged parts */

/**
 * The parts that can be exchanged, as they are in the model that the page begins with.
 * @type {Exchanged & Record<string, string | number>}
 */
export const USUAL = { positions: 'interleaved', activation: 'gelu', norm: 'layer', kvHeads: 4 }

/**
 * What is exchanged in each file, by the name of the file without its ending.
 * @type {Record<string, Partial<Exchanged>>}
 */
export const VARIANTS = {
  stories: {},
  stories_norm_rms: { norm: 'rms' },
  stories_positions_rotary: { positions: 'rotary' },
  stories_positions_learned: { positions: 'learned' },
  stories_positions_none: { positions: 'none' },
  stories_activation_swiglu: { activation: 'swiglu' },
  stories_activation_relu: { activation: 'relu' },
  stories_kv_heads_2: { kvHeads: 2 },
  stories_kv_heads_1: { kvHeads: 1 },
  stories_llama: { norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }
}

/** Settings of the page as the model takes them. @param {Record<string, any>} settings */
export const shapeOf = settings => {
  const { positions, activation, norm, kvHeads } = { ...USUAL, ...settings }
  return { positions: positions === 'none' ? null : positions, activation, norm, kvHeads }
}

/**
 * The training that learns a model of these parts, as the theatre has it in a link.
 * @param {Record<string, any>} settings
 */
export const trainingOf = settings => ['stories', ...Object.keys(USUAL)
  .filter(name => settings[name] !== USUAL[name]).map(name => `${name}-${settings[name]}`)].join('_')

/** The file of weights that were trained with just these parts, or undefined. @param {Record<string, any>} settings */
export function fileOf(settings) {
  /** @param {Partial<Exchanged>} own */
  const isSame = own => Object.entries({ ...USUAL, ...own }).every(([name, value]) => settings[name] === value)
  const found = Object.keys(VARIANTS).find(name => isSame(VARIANTS[name]))
  return found && `${found}.safetensors`
}
