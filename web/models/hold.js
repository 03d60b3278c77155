/**
 * Models that outlive a run: most runs only change what a model reads. Overwritten weights get a model of their own,
 * which
 * nobody else sees.
 */

const held = new WeakMap()

const isWithin = (shape, index) => (
  Boolean(shape) && shape.length === index.length && index.every((i, axis) => i < shape[axis]))

/** With what is asked of a model again and again. */
function described(key, model) {
  const modules = model.namedModules().map(([, module]) => module)
  return { key, model, modules, parameters: model.parameters(), users: 0 }
}

/** A model with other numbers in its weights. */
function overwritten(made, edits, isNew) {
  const own = described(null, isNew ? made.model : made.model.clone())
  const tensors = own.model.stateDict()
  own.before = new Map()
  for (const { name, index, value } of edits) {
    const { shape, data } = tensors[name]
    own.before.set(`${name}:${index}`, tensors[name].at(...index))
    data[index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)] = value
  }
  return own
}

/**
 * The model of a key, built if it is not the one before; `release` lets it go.
 * @param {any} gf @param {string} key everything it depends on @param {() => any} build
 * @param {{ name: string, index: number[], value: number }[]} edits
 */
export function hold(gf, key, build, edits) {
  const last = held.get(gf)
  const made = last?.key === key ? last : described(key, build())
  const state = made.model.stateDict()
  const own = edits.filter(({ name, index }) => Object.hasOwn(state, name) && isWithin(state[name].shape, index))
  const used = own.length ? overwritten(made, own, made !== last) : made
  if (used === made && made !== last) {
    held.set(gf, made)
    if (last && last.users === 0) last.model.dispose()
  }
  used.users += 1
  return used
}

/** A run lets go of its model. */
export function release(gf, made) {
  made.users -= 1
  if (made.users === 0 && held.get(gf) !== made) made.model.dispose()
}

/** Switches a held model between training and evaluation and forgets the gradients of the run before. */
export function prepare({ modules, parameters }, { training, scale = true }) {
  for (const module of modules) {
    module.training = training
    if ('scale' in module) module.scale = scale ? undefined : 1
  }
  for (const parameter of parameters) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
}
