// Supported and unsupported settings of config.json.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

/** By type of model: names of settings, with supported and unsupported values. */
const VALUES = {
  gpt2: [['add_cross_attention', [false, null], [true]], ['chunk_size_feed_forward', [0], [1, 64]], ['pruned_heads', [{}], [{ 0: [1] }]]],
  bert: [['position_embedding_type', ['absolute'], ['relative_key']], ['is_decoder', [false], [true]],
    ['add_cross_attention', [false], [true]], ['embedding_size', [null], [128]], ['tie_word_embeddings', [true], [false]]],
  llama: [['partial_rotary_factor', [1], [0.5, 2]], ['pretraining_tp', [1], [2]], ['sliding_window', [null], [4096]],
    ['rope_interleaved', [false], [true]], ['quantization_config', [{}], [{ bits: 4 }]]],
  marian: [['normalize_before', [false], [true]], ['normalize_embedding', [false], [true]],
    ['add_final_layer_norm', [false], [true]], ['static_position_embeddings', [true], [false]]]
}

for (const [type, rows] of Object.entries(VALUES)) test(`${type}: inspect lists unsupported settings and no supported ones`, () => {
  const [item] = cases(type), problemsOf = config => gf.models.inspect(filesOf(item, { config })).problems.map(String)
  for (const [name, supported, unsupported] of rows) {
    for (const value of supported) assert.deepEqual(problemsOf({ [name]: value }), [], `${name} = ${value}`)
    for (const value of unsupported) assert.match(problemsOf({ [name]: value }).join(), new RegExp(`${name} = .* is not supported`))
  }
})

/** By type of model: settings that make no sense, and the expected messages. */
const INVALID = {
  llama: [[{ rope_theta: 0 }, /rope_theta must be more than 0, got 0/], [{ head_dim: 5 }, /even number of channels.* got 5/],
    [{ rope_scaling: 'linear' }, /rope_scaling must be an object or null, got "linear"/],
    [{ rope_scaling: { type: 'yarn', factor: '2' } }, /factor of rope_scaling must be a number > 0, got "2"/]],
  t5: [[{ relative_attention_max_distance: 4, relative_attention_num_buckets: 8 }, /more than half .* got 4 and 8/],
    ...[2, 5, 2000].map(buckets => [{ relative_attention_num_buckets: buckets, relative_attention_max_distance: 5000 },
      new RegExp(`num_buckets must be an even number from 4 to 1024, got ${buckets}`)]),
    [{ decoder_start_token_id: 1e6 }, /decoder_start_token_id must be an id below \d+, got 1000000/]],
  marian: [[{ decoder_start_token_id: 1e6 }, /decoder_start_token_id must be an id below \d+, got 1000000/]]
}

for (const [type, rows] of Object.entries(INVALID)) test(`${type}: inspect lists invalid settings`, () => {
  const [item] = cases(type)
  for (const [config, reason] of rows) {
    assert.match(gf.models.inspect(filesOf(item, { config })).problems.map(String).join(), reason)
  }
})
