// The names of the peers, in a separate module so that importing a name does not load a peer.
export const ORT = 'onnxruntime-web'
export const TFJS = 'TensorFlow.js'
export const WLLAMA = 'wllama'
