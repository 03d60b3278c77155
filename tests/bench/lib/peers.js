// What the peers are called. Apart from their own modules, so that asking for a name loads nothing.
export const ORT = 'onnxruntime-web'
export const TFJS = 'TensorFlow.js'
export const WLLAMA = 'wllama'
