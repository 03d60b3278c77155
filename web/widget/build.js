/** Builds the notebook widget: dist/widget, a Python package whose script has the kernels inside. */

import { cp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** @import { BuildOptions, BuildResult, Plugin } from 'esbuild' */

/** @param {string} path */
const here = path => fileURLToPath(new URL(path, import.meta.url))

/**
 * @param {(options: BuildOptions) => Promise<BuildResult>} bundle @param {Plugin[]} plugins those of the elements
 */
export async function buildWidget(bundle, plugins) {
  const folder = here('../../dist/widget/')
  await rm(folder, { recursive: true, force: true })
  for (const name of ['pyproject.toml', 'README.md', 'glassformer_widget']) {
    await cp(here(name), folder + name, { recursive: true, filter: source => !source.includes('__pycache__') })
  }
  await bundle({
    entryPoints: [here('index.js')], outfile: `${folder}glassformer_widget/widget.js`, format: 'esm', conditions: ['inline'],
    loader: { '.wasm': 'binary' }, plugins
  })
}
