/**
 * Joins what is always loaded together. esbuild makes a chunk of the modules that the same entries need, so that a
 * first visit would fetch 56 scripts, most of them smaller than two kilobytes.
 */

import { basename, dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'

/** @import { BuildOptions, Metafile } from 'esbuild' */
/** @import { OutputChunk, Plugin } from 'rolldown' */

/** The scripts that esbuild made, with their source maps. @param {Map<string, string>} files */
const fromMemory = files => /** @type {Plugin} */ ({
  name: 'from memory',
  resolveId: (id, importer) => (files.has(id) ? id : importer && id.startsWith('.') ? join(dirname(importer), id) : null),
  load: id => (files.has(id) ? { code: /** @type {string} */ (files.get(id)), map: files.get(`${id}.map`) } : null)
})

/**
 * For each script that one of these modules always loads: the name of the first of them; and the module of each name.
 * @param {Metafile['outputs']} outputs @param {string[]} modules
 */
function ownersOf(outputs, modules) {
  /** @type {Record<string, string>} */ const owners = {}, /** @type {Record<string, string>} */ first = {}
  for (const module of modules) {
    const script = Object.keys(outputs).find(path => outputs[path].entryPoint === module)
    if (!script) throw new Error(`no script begins with ${module}`)
    first[basename(script, '.js')] ??= module
    const loaded = new Set([script])
    for (const path of loaded) {
      owners[path] ??= basename(script, '.js')
      outputs[path].imports.filter(({ kind }) => kind === 'import-statement').forEach(({ path: other }) => loaded.add(other))
    }
  }
  return { owners, first }
}

/** `rooms` of the chunk `rooms-ABCDEFGH.js`. @param {string} path */
const nameOf = path => basename(path, '.js').replace(/-[A-Z0-9]{8}$/, '')

/**
 * esbuild's `build` with chunks, of which each listed module gets one script with all that it always loads; a module
 * that several need is part of the first.
 * @param {BuildOptions & { outdir: string }} options
 * @param {string[]} joined modules in the order in which they are loaded
 * @returns {Promise<Metafile>} as esbuild describes scripts
 */
export async function buildJoined(options, joined) {
  const root = /** @type {string} */ (options.absWorkingDir)
  const { metafile, outputFiles } = await build({ ...options, splitting: true, metafile: true, write: false })
  const files = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const entries = [...files.keys()].filter(path => dirname(path) === resolve(options.outdir) && path.endsWith('.js'))
  const { owners, first } = ownersOf(metafile.outputs, joined)
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(path => [nameOf(path), path])), external: options.external,
    plugins: [fromMemory(files)], preserveEntrySignatures: 'allow-extension'
  })
  const { output } = await bundle.write({
    dir: options.outdir, format: 'esm', minify: true, sourcemap: Boolean(options.sourcemap),
    chunkFileNames: ({ name }) => `chunks/${nameOf(name)}-[hash].js`,
    codeSplitting: { groups: [{ debugName: 'joined', name: id => owners[relative(root, id)] ?? null }] }
  })
  await bundle.close()
  const chunks = /** @type {OutputChunk[]} */ (output.filter(({ type }) => type === 'chunk'))
  const path = (/** @type {string} */ name) => join(relative(root, options.outdir), name)
  const importsOf = (/** @type {string[]} */ names, /** @type {'import-statement' | 'dynamic-import'} */ kind) => (
    names.map(name => ({ path: path(name), kind })))
  /** @param {OutputChunk} chunk */
  const describe = ({ name, facadeModuleId, imports, dynamicImports, code }) => ({
    entryPoint: metafile.outputs[relative(root, facadeModuleId ?? '')]?.entryPoint ?? first[name], bytes: code.length, inputs: {},
    exports: [], imports: [...importsOf(imports, 'import-statement'), ...importsOf(dynamicImports, 'dynamic-import')]
  })
  const outputs = Object.fromEntries(chunks.map(chunk => [path(chunk.fileName), describe(chunk)]))
  return { inputs: metafile.inputs, outputs }
}
