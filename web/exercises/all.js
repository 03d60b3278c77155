/** All exercises, for the worker and the tests; the page loads them one by one. */

import { exercise as adam } from './adam.js'
import { exercise as attention } from './attention.js'
import { exercise as attribution } from './attribution.js'
import { exercise as block } from './block.js'
import { exercise as bpe } from './bpe.js'
import { exercise as cache } from './cache.js'
import { exercise as crossEntropy } from './cross_entropy.js'
import { exercise as dot } from './dot.js'
import { exercise as embedding } from './embedding.js'
import { exercise as feedForward } from './feed_forward.js'
import { exercise as gradient } from './gradient.js'
import { exercise as greedy } from './greedy.js'
import { exercise as heads } from './heads.js'
import { exercise as induction } from './induction.js'
import { exercise as load } from './load.js'
import { exercise as logits } from './logits.js'
import { exercise as mask } from './mask.js'
import { exercise as norm } from './norm.js'
import { exercise as patching } from './patching.js'
import { exercise as positions } from './positions.js'
import { exercise as sample } from './sample.js'
import { exercise as sgd } from './sgd.js'
import { exercise as softmax } from './softmax.js'
import { exercise as stack } from './stack.js'
import { exercise as train } from './train.js'
import { exercise as waves } from './waves.js'

/** @type {Record<string, import('./index.js').Exercise>} */
export const all = {
  embedding, positions, dot, softmax, attention, mask, heads, norm, feed_forward: feedForward, block,
  stack, logits, cross_entropy: crossEntropy, gradient, sgd, adam, bpe, greedy, sample, cache, load, train,
  attribution, induction, patching, waves
}
