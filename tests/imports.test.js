// Imports lead in one direction: no module of the library or the page imports itself by way of others.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The modules of a folder and what each imports. Types are imported in comments and do not count. */
async function importsIn(folder) {
  const root = new URL(folder, import.meta.url)
  const names = (await readdir(root, { recursive: true })).filter(name => name.endsWith('.js'))
  return Promise.all(names.map(async name => {
    const url = new URL(name, root), code = (await readFile(url, 'utf8')).replace(/\/\*\* @import [^]*?\*\//g, '')
    return [url.href, [...code.matchAll(/(?:from|import) '(\..+)'/g)].map(([, path]) => new URL(path, url).href)]
  }))
}

/**
 * The modules in or between cycles: a module that imports no remaining module, or that no remaining module imports, is
 * removed, until there is none.
 */
function circular(modules) {
  const rest = new Map(modules)
  const isImported = name => [...rest.values()].some(imports => imports.includes(name))
  const isOutsideCycles = ([name, imports]) => !imports.some(path => rest.has(path)) || !isImported(name)
  let removable
  do {
    removable = [...rest].filter(isOutsideCycles)
    removable.forEach(([name]) => rest.delete(name))
  } while (removable.length)
  return [...rest.keys()]
}

test('circular imports are found', () => {
  const modules = [['a', ['b']], ['b', ['c', 'd']], ['c', ['b']], ['d', []]]
  assert.deepEqual(circular(modules), ['b', 'c'])
  assert.deepEqual(circular([...modules.slice(0, 2), ['c', ['d']], modules[3]]), [])
})

test('the library has no circular imports', async () => {
  const modules = [...await importsIn('../src/js/'), ...await importsIn('../web/')]
  assert.ok(modules.length > 100, `${modules.length} modules`)
  assert.deepEqual(circular(modules), [])
})

test('every name that the benchmarks import is exported', async () => {
  const entryPoints = ['run', 'page', 'theatre'].map(name => fileURLToPath(new URL(`bench/${name}.js`, import.meta.url)))
  const { errors } = await build({ entryPoints, bundle: true, write: false, packages: 'external', format: 'esm', outdir: 'out',
    external: ['*.wasm', '*.json'], platform: 'node', logLevel: 'silent' }).catch(failure => failure)
  assert.deepEqual(errors.map(({ text, location }) => `${location?.file}: ${text}`), [])
})
