/** Builds the elements: dist/site/elements.js with its chunks and its worker, and the same in the npm package. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

/** @import { BuildOptions, BuildResult, Metafile, Plugin } from 'esbuild' */

/** @param {string} path */
const here = path => fileURLToPath(new URL(path, import.meta.url))

/**
 * Style sheets as text, for shadow roots: rules for the document apply to the root.
 * @type {Plugin}
 */
const cssAsText = {
  name: 'css as text',
  setup: ({ onLoad }) => onLoad({ filter: /\/web\/style\/\w+\.css$/ }, async ({ path }) => {
    const css = (await readFile(path, 'utf8')).replace(/:root|(?<=^|[\s,{}])(html|body)(?=[\s,{])/gm, '.root')
    return { contents: (await transform(css, { loader: 'css', minify: true })).code, loader: 'text' }
  })
}

/**
 * Figures of elements have no menu, so that they need no pictures of themselves either.
 * @type {Plugin}
 */
const withoutMenu = {
  name: 'without menu',
  setup({ onLoad }) {
    onLoad({ filter: /\/web\/lib\/figure_menu\.js$/ }, () => ({ contents: 'export const mountFigureMenu = () => {}' }))
    onLoad({ filter: /\/web\/lib\/snapshot\.js$/ }, () => ({ contents: 'export const snapshot = () => null' }))
    onLoad({ filter: /\/web\/lib\/svg\.js$/ }, () => ({ contents: 'export const drawFigure = () => null' }))
  }
}

/** Texts of a room that stand around its figure, which an element does not show. */
const AROUND = /^(what\w*|try|without|reading|note)$/
/** Parts of the page that an element does not have. */
const ABSENT = ['opening', 'reading', 'bring', 'check', 'learned', 'player', 'lessonLinks', 'links', 'unfetched']

/** @typedef {{ [key: string]: Texts | string }} Texts */

/** @param {Texts} texts @returns {Texts} */
function figureTexts({ stages = {}, ...texts }) {
  const kept = Object.fromEntries(Object.entries(texts).filter(([key]) => !ABSENT.includes(key)))
  const shown = Object.entries(/** @type {Record<string, Texts>} */ (stages)).map(([name, own]) => (
    [name, Object.fromEntries(Object.entries(own).filter(([key]) => !AROUND.test(key)))]))
  return { ...kept, stages: Object.fromEntries(shown) }
}

/**
 * The texts that figures need, of which the page's opening is no part.
 * @type {Plugin}
 */
const textsOfFigures = {
  name: 'texts of figures',
  setup({ onLoad }) {
    onLoad({ filter: /\/words\/\w+\/opening\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
    onLoad({ filter: /\/words\/\w+\/page\.json$/ }, async ({ path }) => {
      const [page, opening] = await Promise.all([path, path.replace('page.json', 'opening.json')]
        .map(async file => JSON.parse(await readFile(file, 'utf8'))))
      const models = Object.entries({ ...opening.models, ...page.models }).filter(([id]) => id !== 'own')
        .map(([id]) => [id, figureTexts({ ...opening.models?.[id], ...page.models?.[id] })])
      const texts = { page: figureTexts({ ...opening.page, ...page.page }), models: Object.fromEntries(models) }
      return { contents: JSON.stringify(texts), loader: 'json' }
    })
  }
}

/**
 * Builds the scripts of the elements into a folder.
 * @param {(options: BuildOptions) => Promise<BuildResult>} bundle @param {string} folder
 * @param {Plugin[]} workerPlugins @returns {Promise<Metafile>}
 */
export async function buildElements(bundle, folder, workerPlugins) {
  const common = { outdir: folder, format: /** @type {const} */ ('esm'), splitting: true, metafile: true }
  const [page, worker] = await Promise.all([
    bundle({ ...common, entryPoints: { elements: here('index.js') }, chunkNames: 'chunks/element-[name]-[hash]', define: {},
      plugins: [cssAsText, textsOfFigures, withoutMenu] }),
    bundle({ ...common, entryPoints: { 'elements-worker': here('../worker/index.js') }, chunkNames: 'chunks/elements-worker-[hash]',
      plugins: workerPlugins })
  ])
  const [one, two] = /** @type {Metafile[]} */ ([page.metafile, worker.metafile])
  return { inputs: { ...one.inputs, ...two.inputs }, outputs: { ...one.outputs, ...two.outputs } }
}

/** What a bundle with figures in it needs. */
export const FIGURE_PLUGINS = [cssAsText, textsOfFigures, withoutMenu]
