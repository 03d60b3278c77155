/**
 * The building: every room of a model in the order the numbers go through them. A room is a stage at a place; the block
 * of the sentences has each stage once, the translator has most of them again and again.
 */

import { stages } from './stages/index.js'

/**
 * @typedef {object} Room
 * @property {string} id as it stands in a link
 * @property {object} stage
 * @property {string} [place] which part of the model the stage shows
 * @property {string} words the key of its texts
 * @property {string[]} tensors at home here; the last computed one flows on
 * @property {string} [tower] 'encoder' or 'decoder'
 * @property {number} [layer]
 * @property {string} block the group it belongs to on the map
 * @property {boolean} [isOnTour] whether the way from room to room leads through it
 * @property {boolean} [isOnlyInTraining]
 * @property {string[]} [tells] tensors of other rooms whose formulas belong here too
 * @property {string} [aside] what stands beside the advice to try something: 'without' unless said
 */

const stageOf = new Map(stages.map((stage) => [stage.id, stage]))
const room = (id, stage, more) => ({ id, stage: stageOf.get(stage), words: stage, isOnTour: true, ...more })

/** From token to vector, on one side. */
function entry(side, tower) {
  const second = side === 'target' ? ':2' : ''
  const at = { place: side, tower, block: 'entry' }
  const id = (stage) => (side === 'source' ? stage : `target.${stage}`)
  return [
    room(id('tokens'), 'pieces', { ...at, words: side === 'source' ? 'pieces' : 'given', tensors: [] }),
    room(`${side}.embedding`, 'embedding', {
      ...at, tensors: [`${side}_embedding.weight`, `${side}_embedding.output`]
    }),
    room(`${side}.positions`, 'positions', {
      ...at, words: 'places', tensors: side === 'source' ? ['positions.pe', 'positions.weight'] : []
    }),
    room(`${side}.sum`, 'sum', { ...at, tensors: [`positions.output${second}`, `positions.sum${second}`] }),
    room(`${side}.dropout`, 'dropout', { ...at, tensors: [`positions.dropout.mask${second}`] })
  ]
}

const ATTENTION = [
  ['qkv', ['q', 'k', 'v', 'in_proj_weight', 'in_proj_bias']], ['scores', ['scores']], ['scale', ['dots']],
  ['mask', ['masked_scores']], ['weights', ['weights']], ['dropout', []], ['heads', ['heads']],
  ['output', ['output', 'out_proj.weight', 'out_proj.bias']]
]

const WORDS = {
  self_attn: { mask: 'padding' },
  multihead_attn: { qkv: 'crossqkv', mask: 'padding', weights: 'cross' },
  masked: { mask: 'causal' }
}

/** A dropout inside a layer, which only training has. */
function drop({ id, place, tower, layer }, name, block, words = 'dropout', stage = 'dropout') {
  return room(`${id}.${name}`, stage, {
    place: `${place}.${name}`, words, tower, layer, block, isOnlyInTraining: true,
    tensors: ['output', 'mask'].map((part) => `${place}.${name}.${part}`)
  })
}

function attention(at, name, isMasked) {
  const { id, place, tower, layer } = at
  const own = WORDS[isMasked ? 'masked' : name] ?? {}
  const dropout = drop(at, `${name}.dropout`, isMasked ? 'masked' : name, 'attention_dropout', 'attention_dropout')
  const controls = { mask: [isMasked ? 'tgtIsCausal' : 'padding'] }
  const part = ([stage, tensors]) => room(`${id}.${name}.${stage}`, own[stage] === 'cross' ? 'cross' : stage, {
    controls: controls[stage], place: `${place}.${name}`, words: own[stage] ?? stage, tower, layer,
    block: isMasked ? 'masked' : name,
    tensors: tensors.map((tensor) => `${place}.${name}.${tensor}`),
    tells: stage === 'scale' ? [`${place}.${name}.scores`] : undefined
  })
  return ATTENTION.map((one) => (one[0] === 'dropout' ? dropout : part(one)))
}

function norm({ id, place, tower, layer }, n, block) {
  return room(`${id}.norm${n}`, 'norm', {
    place: `${place}.norm${n}`, tower, layer, block,
    tensors: [`${place}.norm${n}.output`, `${place}.residual${n}`, `${place}.norm${n}.weight`, `${place}.norm${n}.bias`]
  })
}

const residual = (at, n, block) => [drop(at, `dropout${n}`, block), norm(at, n, block)]

function feedForward(layerAt) {
  const { id, place, tower, layer } = layerAt
  const at = { tower, layer, block: 'feed_forward' }
  const linear = (name) => room(`${id}.${name}`, 'linear', {
    ...at, place: `${place}.${name}`, words: name,
    tensors: ['output', 'weight', 'bias'].map((part) => `${place}.${name}.${part}`)
  })
  const activation = room(`${id}.activation`, 'activation', {
    ...at, place: `${place}.activation`, tensors: [`${place}.activation`]
  })
  return [linear('linear1'), activation, drop(layerAt, 'dropout', 'feed_forward', 'inner_dropout'), linear('linear2')]
}

function layer(tower, number) {
  const at = { id: `${tower}.${number}`, place: `transformer.${tower}.layers.${number}`, tower, layer: number }
  if (tower === 'encoder') {
    return [...attention(at, 'self_attn', false), ...residual(at, 1, 'self_attn'), ...feedForward(at),
      ...residual(at, 2, 'feed_forward')]
  }
  return [...attention(at, 'self_attn', true), ...residual(at, 1, 'masked'),
    ...attention(at, 'multihead_attn', false), ...residual(at, 2, 'multihead_attn'),
    ...feedForward(at), ...residual(at, 3, 'feed_forward')]
}

/** The norm at the end of a tower. */
const top = (tower) => room(tower === 'encoder' ? 'memory' : 'decoder.norm', 'norm', {
  place: `transformer.${tower}.norm`, words: tower === 'encoder' ? 'memory' : 'finalnorm', tower, block: 'exit',
  tensors: ['output', 'norm.weight', 'norm.bias'].map((name) => `transformer.${tower}.${name}`)
})

function exit() {
  const at = { tower: 'decoder', block: 'exit' }
  return [
    room('logits', 'linear', {
      ...at, place: 'output', words: 'logits', tensors: ['output', 'output.weight', 'output.bias']
    }),
    room('sampling', 'sampling', {
      ...at, tensors: ['softmax.output', 'softmax.tempered', 'softmax.inverse_temperature', 'choice.cut', 'choice.mask',
        'choice.output']
    }),
    room('decoding', 'decoding', { ...at, tensors: [] })
  ]
}

/** The way from room to room skips what only repeats: a second encoder layer, and most of a second decoder layer. */
function isOnTour({ tower, layer: number, block, stage }) {
  if (!number) return true
  return tower === 'decoder' && block === 'multihead_attn' && stage.id === 'cross'
}

/** The opening room: the whole building, before anyone goes in. */
const house = (words) => room('house', 'house', { words, tensors: [], block: 'house', aside: 'reading' })

function translator(layers) {
  const all = (tower) => Array.from({ length: layers }, (_, number) => layer(tower, number)).flat()
  const rooms = [
    house('house'), ...entry('source', 'encoder'), ...all('encoder'), top('encoder'),
    ...entry('target', 'decoder'), ...all('decoder'), top('decoder'), ...exit()
  ]
  return rooms.map((one) => ({ ...one, isOnTour: isOnTour(one) }))
}

const BLOCK = [house('block'), ...[
  'tokens', 'ids', 'embedding', 'positions', 'sum', 'dropout', 'qkv', 'scores', 'mask', 'weights', 'heads', 'output'
].map((id) => room(id, id, { tensors: stageOf.get(id).tensors, block: 'block' }))]

const known = new Map()
const TRAINED_LAYERS = 2

/**
 * The rooms of the model that a state chooses.
 * @param {{ model: string, layers: number, training: boolean }} state
 * @returns {Room[]}
 */
export function roomsOf({ model, layers, training }) {
  if (model === 'sentences') return BLOCK
  const count = model === 'trained' || !(layers >= 1) ? TRAINED_LAYERS : layers
  if (!known.has(count)) {
    const all = translator(count)
    known.set(count, { all, quiet: all.filter((one) => !one.isOnlyInTraining) })
  }
  return training ? known.get(count).all : known.get(count).quiet
}

/**
 * The room of a state; the name of a stage alone leads to the first room that shows it, the name of a room that is only
 * there in training to the room before it, anything else to the first.
 * @param {object} state
 */
export function roomOf(state) {
  const rooms = roomsOf(state)
  const all = roomsOf({ ...state, training: true })
  const named = (name) => all.findIndex((room) => name(room) === state.stage)
  const at = [named(({ id }) => id), named(({ words }) => words), named(({ stage }) => stage.id)].find((i) => i >= 0)
  return all.slice(0, (at ?? 0) + 1).findLast((one) => rooms.includes(one)) ?? rooms[0]
}

const NOT_COMPUTED = /(weight|bias|mask|temperature|residual\d)(:\d)?$/

/** The name of what a room passes on, or undefined. @param {Room} one */
export const outputOf = ({ tensors }) => tensors.find((name) => !NOT_COMPUTED.test(name))

/** The room a tensor is at home in, or undefined. @param {Room[]} rooms @param {string} name @param {object} [run] */
export function homeOf(rooms, name, run) {
  const resolve = (one) => run?.aliases?.get(one) ?? one
  return rooms.find(({ tensors }) => tensors.some((one) => resolve(one) === resolve(name)))
}
