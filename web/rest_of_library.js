/**
 * Parts of the library that the worker fetches after the first figure: it calls none of them in a run with the settings
 * that the page begins with. Before anything else is computed, the worker awaits them.
 */

import { fileURLToPath, pathToFileURL } from 'node:url'

/** @import { Plugin } from 'esbuild' */

/** Files that export functions only, in the parts that are fetched together: explanations, GELU, and the rest. */
const GROUPS = Object.fromEntries(Object.entries({
  explanations: ['ops/attention_explain', 'ops/log_softmax', 'trace/trace_explain'],
  gelu: ['ops/gelu'],
  operations: ['decoding/beam', 'files/shards', 'ops/gather', 'ops/join', 'ops/position_bias', 'ops/rms_norm', 'ops/rotary', 'ops/sides',
    'ops/transpose', 'tensor/creation', 'trace/costs']
}).map(([group, names]) => [group, names.map(name => fileURLToPath(new URL(`../src/js/${name}.js`, import.meta.url)))]))
const FILES = Object.values(GROUPS).flat()
const WHOLE = '?whole', PARTS = 'deferred functions', REST = 'rest of the library: '

/** What the stubs of deferred functions share. */
const DEFERRED = `const code = {}
  export const defer = (name, length) => Object.defineProperties((...args) => {
    if (!code[name]) throw new Error(name + ' is not loaded: see web/rest_of_library.js')
    return code[name](...args)
  }, { name: { value: name }, length: { value: length } })
  const loaders = { ${Object.keys(GROUPS).map(group => `${group}: () => import('${REST}${group}')`).join()} }, loading = {}
  const load = group => (loading[group] ??= loaders[group]().then(part => Object.assign(code, part), error => {
    loading[group] = undefined
    throw error
  }))
  export const loadExplanations = () => load('explanations')
  export const loadGelu = () => load('gelu')
  export const loadRestOfLibrary = () => Promise.all(Object.keys(loaders).map(load))`

/**
 * A file whose functions call the deferred ones. PyTorch's order of arguments is read by their lengths.
 * @param {string} path
 */
async function stubOf(path) {
  const entries = Object.entries(await import(pathToFileURL(path).href))
  const other = entries.find(([, value]) => typeof value !== 'function' || /^class\b/.test(String(value)))
  if (other) throw new Error(`${path}: ${other[0]} is no function, so that it cannot be deferred`)
  return `import { defer } from '${PARTS}'
    export const ${entries.map(([name, { length }]) => `${name} = defer('${name}', ${length})`).join()}`
}

/** @type {Plugin} */
export const restOnDemand = {
  name: 'rest of the library on demand',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(deferred functions|rest of the library: \w+)$/ }, ({ path }) => ({ path, namespace: 'rest' }))
    onResolve({ filter: /\.js(\?whole)?$/ }, ({ path, importer, namespace, resolveDir }) => {
      if (namespace !== 'rest' && !FILES.includes(importer)) return undefined
      const file = fileURLToPath(new URL(path.replace(WHOLE, ''), `file://${resolveDir}/`))
      return FILES.includes(file) ? { path: file, suffix: WHOLE } : undefined
    })
    onLoad({ filter: /./, namespace: 'rest' }, ({ path }) => ({
      contents: path === PARTS ? DEFERRED : GROUPS[path.replace(REST, '')].map(file => `export * from '${file}${WHOLE}'`).join('\n'),
      resolveDir: fileURLToPath(new URL('.', import.meta.url))
    }))
    onLoad({ filter: /\/web\/worker\/rest_of_library\.js$/ }, () => ({ contents: `export { loadExplanations, loadGelu, loadRestOfLibrary } from '${PARTS}'` }))
    onLoad({ filter: /\/src\/js\/(decoding|files|ops|tensor|trace)\/\w+\.js$/ }, async ({ path, suffix }) => (
      suffix !== WHOLE && FILES.includes(path) ? { contents: await stubOf(path) } : undefined))
  }
}
