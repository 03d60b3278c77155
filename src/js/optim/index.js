export { Adam, AdamW } from './adam.js'
export { clipGradNorm, clipGradValue } from './clip_grad.js'
export { noam } from './noam.js'
export { SGD } from './sgd.js'
