import { DTYPES } from '../tensor/dtype.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Calls a kernel that moves values of four bytes, whatever they mean. Those of bool tensors are converted to int32 and
 * back.
 * @param {Tensor} out float32, int32 or bool
 * @param {readonly (Tensor | null)[]} inputs of the same type, or null
 * @param {(out: number, ...inputs: number[]) => void} move takes the addresses; 0 for null
 */
export function moveFourByteValues(out, inputs, move) {
  const { engine } = out
  if (out.dtype !== 'bool') {
    move(out.dataPtr(), ...inputs.map(input => input?.dataPtr() ?? 0))
    return
  }
  const [wide, ...copies] = [out, ...inputs].map(tensor => tensor && engine.empty(tensor.shape, 'int32'))
  inputs.forEach((input, i) => convert(copies[i], input))
  move(/** @type {Tensor} */ (wide).dataPtr(), ...copies.map(copy => copy?.dataPtr() ?? 0))
  convert(out, wide)
  for (const tensor of [wide, ...copies]) tensor?.dispose()
}

/** @param {Tensor | null} out @param {Tensor | null} x */
function convert(out, x) {
  if (!out || !x) return
  out.engine.c.gf_convert(out.dataPtr(), DTYPES[out.dtype].code, x.dataPtr(), DTYPES[x.dtype].code, out.numel())
}
