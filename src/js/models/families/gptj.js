import { expect } from '../../errors.js'
import { readInteger, readNumber } from '../config.js'
import { isTied } from '../tied.js'
import { decoderFamily } from './decoder_family.js'
import { equalLayers } from '../decoder.js'
import { readSizes } from './describe.js'

/** GPT-J (Wang and Komatsuzaki 2021): attention and feed-forward network in parallel, adjacent channels are rotated. */
export const gptj = decoderFamily({
  type: 'gptj',
  architecture: 'GPTJForCausalLM',
  prefix: 'transformer.',
  keys: {
    'embed_tokens': 'wte', 'norm': 'ln_f', 'layers.{n}': 'h.{n}', 'input_layernorm': 'ln_1', 'self_attn.q_proj': 'attn.q_proj',
    'self_attn.k_proj': 'attn.k_proj', 'self_attn.v_proj': 'attn.v_proj', 'self_attn.o_proj': 'attn.out_proj',
    'mlp.up_proj': 'mlp.fc_in', 'mlp.down_proj': 'mlp.fc_out'
  },
  ignored: [/attn\.(masked_)?bias$/],
  describe(config, shapeOf) {
    const { layerCount, ...sizes } = readSizes(config, {
      channels: 'n_embd', heads: 'n_head', kvHeads: 'n_head', layers: 'n_layer', feedForwardSize: 'n_inner',
      maxPositions: 'n_positions', activation: 'activation_function'
    }, { channels: 4096, heads: 16, layers: 28, vocabSize: 50400, activation: 'gelu_new' })
    const dims = readInteger(config, 'rotary_dim', 64)
    expect(dims % 2 === 0 && dims <= sizes.headDim, 'format',
      () => `config.json: rotary_dim must be an even number of the ${sizes.headDim} channels of a head, got ${dims}`)
    return {
      name: 'GPTJ', ...sizes, layers: equalLayers(layerCount, { rotary: { dims, layout: 'interleaved', base: 10000 } }),
      norm: { kind: 'layer', eps: readNumber(config, 'layer_norm_epsilon', 1e-5) }, order: 'parallel', isGated: false,
      hasMlpBias: true, hasHeadBias: true, isTied: isTied(config, shapeOf)
    }
  }
})
