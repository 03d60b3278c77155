/** The kernels inside the library, where it is one file. Those for threads are still files beside it. */

import kernels from '../../../dist/glassformer.wasm'
import blockKernels from '../../../dist/glassformer.blocks.wasm'

export const besideModule = () => kernels
export const blocksBesideModule = () => blockKernels
export { sharedBlocksBesideModule, threadsBesideModule } from './packed.js'
