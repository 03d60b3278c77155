export { Cache } from '../ops/attention_cache.js'
