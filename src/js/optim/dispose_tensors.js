import { Tensor } from '../tensor/tensor.js'

/** Frees the tensors of an object. @param {Record<string, any> | undefined} state */
export function disposeTensors(state) {
  for (const value of Object.values(state ?? {})) if (value instanceof Tensor) value.dispose()
}
