/** Norms of gradients and updates by layer, summed by the kernels. */

/**
 * The group of a parameter: its layer, or the module outside of all layers.
 * @param {string} name
 */
const groupName = name => /^(.*layers\.\d+)\./.exec(name)?.[1] ?? name.slice(0, name.lastIndexOf('.'))

/**
 * Parameters by group, in the model's order.
 * @param {[string, any][]} named @returns {{ name: string, parameters: any[], at: number[] }[]}
 */
export function groupParameters(named) {
  /** @type {Map<string, { name: string, parameters: any[], at: number[] }>} */ const groups = new Map()
  named.forEach(([name, parameter], i) => {
    const key = groupName(name)
    const group = groups.get(key) ?? { name: key, parameters: [], at: [] }
    group.parameters.push(parameter)
    group.at.push(i)
    groups.set(key, group)
  })
  return [...groups.values()]
}

/** The total norm of some tensors. @param {any} gf @param {any[]} tensors */
export const totalNorm = (gf, tensors) => Math.sqrt(tensors.reduce((sum, tensor) => (
  sum + (tensor ? gf.engine.c.gf_sum_squares(tensor.dataPtr(), tensor.numel()) : 0)), 0))

/**
 * The norm of each group's update relative to that of its weights.
 * @param {any} gf @param {ReturnType<typeof groupParameters>} groups
 * @param {any[]} before a copy of every parameter
 */
export const updateRatios = (gf, groups, before) => gf.tidy(() => gf.noGrad(() => groups.map(({ parameters, at }) => {
  const updates = parameters.map((parameter, i) => parameter.detach().sub(before[at[i]]))
  return totalNorm(gf, updates) / totalNorm(gf, at.map(i => before[i]))
})))
