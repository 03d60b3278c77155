/** leakyRelu → leaky_relu, as PyTorch, kernels and traces have it. @param {string} name */
export const toSnakeCase = name => name.replace(/(?<=[a-z\d])[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** leaky_relu → leakyRelu. @param {string} name */
export const toCamelCase = name => name.replace(/_(?=[a-z])(.)/g, (_, letter) => letter.toUpperCase())
