/**
 * The trained weights of the stories: the default model, variants with one exchanged part, and one with all of Llama's.
 */

/** @typedef {{ positions: string, activation: string, norm: string, kvHeads: number }} Exchanged parts */

/**
 * The exchangeable parts of the default model.
 * @type {Exchanged & Record<string, string | number>}
 */
export const DEFAULT_PARTS = { positions: 'interleaved', activation: 'gelu', norm: 'layer', kvHeads: 4 }

/**
 * The exchanged parts of each file, by its name without extension.
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

/** The model's options from the page's settings. @param {Record<string, any>} settings */
export const shapeOf = settings => {
  const { positions, activation, norm, kvHeads } = { ...DEFAULT_PARTS, ...settings }
  return { positions: positions === 'none' ? null : positions, activation, norm, kvHeads }
}

/**
 * The training of these parts, as a link to the training page.
 * @param {Record<string, any>} settings
 */
export const trainingOf = settings => ['stories', ...Object.keys(DEFAULT_PARTS)
  .filter(name => settings[name] !== DEFAULT_PARTS[name]).map(name => `${name}-${settings[name]}`)].join('_')

/** The file of weights trained with exactly these parts, or undefined. @param {Record<string, any>} settings */
export function fileOf(settings) {
  /** @param {Partial<Exchanged>} own */
  const isSame = own => Object.entries({ ...DEFAULT_PARTS, ...own }).every(([name, value]) => settings[name] === value)
  const found = Object.keys(VARIANTS).find(name => isSame(VARIANTS[name]))
  return found && `${found}.safetensors`
}
