/**
 * The kernels that no first run calls, all or those of a training: see build.sh. Each is a side module: it
 * works in the memory of the first ones, where it gets a block for its data and its stack, and imports the product of
 * matrices from them.
 */

/** @import { Library } from '../types.d.ts' */

/** What the module needs; it does not start with less. */
const DATA_BYTES = 4096, STACK_BYTES = 65536, TABLE_SIZE = 256, ALIGNMENT = 16

/** Whether an engine has only the kernels of a first run. @param {Library} gf */
export const lacksKernels = gf => !gf.engine.c.gf_transpose_forward

/** A kernel of each part. */
const SAMPLES = { training: 'gf_adam_step', gelu: 'gf_gelu_forward' }
/** Whether an engine lacks kernels of trainings. @param {Library} gf @param {keyof typeof SAMPLES} part */
export const lacksKernelsOf = (gf, part) => !gf.engine.c[SAMPLES[part]]

/**
 * Gives an engine more kernels.
 * @param {Library} gf
 * @param {WebAssembly.Module} module of glassformer.rest.wasm, glassformer.training.wasm or glassformer.gelu.wasm
 */
export async function addKernels({ engine }, module) {
  const first = engine.c, bytes = ALIGNMENT + DATA_BYTES + STACK_BYTES
  const data = Math.ceil(engine.memory.alloc(bytes) / ALIGNMENT) * ALIGNMENT
  const constant = (/** @type {number} */ value, mutable = false) => new WebAssembly.Global({ value: 'i32', mutable }, value)
  const { exports } = await WebAssembly.instantiate(module, { env: {
    ...first, __memory_base: constant(data), __stack_pointer: constant(data + DATA_BYTES + STACK_BYTES, true),
    __table_base: constant(0), __indirect_function_table: new WebAssembly.Table({ element: 'anyfunc', initial: TABLE_SIZE })
  } })
  const rest = /** @type {Record<string, () => void>} */ (exports)
  // Newer versions of Emscripten have the first, older ones both in one.
  rest.__wasm_apply_data_relocs?.()
  rest.__wasm_call_ctors?.()
  // Other code may have added kernels in the meantime, so they are read after the last await.
  engine.c = { ...rest, ...engine.c }
}
