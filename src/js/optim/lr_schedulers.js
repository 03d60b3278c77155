export { CosineAnnealingLR, LambdaLR, LinearLR, OneCycleLR, StepLR } from './lr_scheduler.js'
export { ExponentialLR, MultiStepLR } from './multi_step_lr.js'
export { ReduceLROnPlateau } from './reduce_lr_on_plateau.js'
export { SequentialLR } from './sequential_lr.js'
