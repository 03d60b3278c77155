/** The kernels inside the library, where it is one file. Those for threads and relaxed SIMD are files beside it. */

import kernels from '../../../dist/glassformer.wasm'
import blockKernels from '../../../dist/glassformer.blocks.wasm'

export const besideModule = () => kernels
export const blocksBesideModule = () => blockKernels
export { relaxedBesideModule, relaxedThreadsBesideModule, sharedBlocksBesideModule, threadsBesideModule } from './packed.js'
