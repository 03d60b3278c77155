/** Builds the elements: dist/site/elements.js with its chunks and its worker, and the same in the npm package. */

import { readFile, readdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { READY } from '../models/index.js'
import { LANGUAGES } from '../words/index.js'
import { WORDY } from './room_texts.js'

/** @import { BuildOptions, Metafile, Plugin } from 'esbuild' */

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
 * The menu of a figure is loaded when it is opened.
 * @type {Plugin}
 */
const menuOnDemand = {
  name: 'menu on demand',
  setup: ({ onResolve }) => onResolve({ filter: /\/figure_menu\.js$/ }, ({ importer }) => (
    importer.endsWith('/web/lib/figure.js') ? { path: here('figure_menu.js') } : undefined))
}

/**
 * A figure has a copy of the fields: a script that it shares with lessons is larger than their part of a lesson's.
 * @type {Plugin}
 */
const fieldsOfFigures = {
  name: 'fields of figures',
  setup: ({ onResolve }) => onResolve({ filter: /\/fields\.(js|css)$/ }, ({ path, resolveDir, importer }) => (
    importer.endsWith('/elements/fields.js') ? { path: resolve(resolveDir, path), suffix: '?figure' } : undefined))
}

/** What stages import, which stays where it is. @type {Plugin} */
const keepImports = {
  name: 'keep imports',
  setup: ({ onResolve }) => onResolve({ filter: /\.js$/ }, ({ path, resolveDir, importer }) => (
    importer.includes('/stages/') ? { path: resolve(resolveDir, path), external: true, sideEffects: false } : undefined))
}

/**
 * The pictures of rooms, without what else their stages display and import: since a script has all that others use of a
 * module, they are copied.
 * @type {Plugin}
 */
const picturesOfRooms = {
  name: 'pictures of rooms',
  setup: ({ onLoad }) => onLoad({ filter: /\/elements\/pictures\.js$/ }, async () => {
    const folder = here('../stages/')
    const ids = (await readdir(folder)).map(name => basename(name, '.js')).filter(id => id !== 'index')
    const contents = `${ids.map(id => `import { picture as ${id} } from './${id}.js'`).join('\n')}
      export const PICTURES = { ${ids.join()} }`
    const { outputFiles: [{ text }] } = await build({ stdin: { contents, resolveDir: folder }, bundle: true, format: 'esm', write: false,
      plugins: [keepImports] })
    return { contents: text }
  })
}

/** Texts of a room that stand around its figure, which an element does not show. */
const AROUND = /^(what\w*|try|without|reading|note)$/
/** The texts of worksheets that a lesson's bar has. */
const OF_SHEET = ['answers', 'print']
/** The texts of a lesson for answer files, panels, plans, slides and ways out of it, which an element does not have. */
const NOT_IN_LESSON = ['after', 'answers', 'left', 'open', 'panels', 'planEnd', 'present', 'presentEnd', 'return', 'toTheatre']
/** The texts of the frame of a room on the page: what stands around its figure, and the ways to other rooms. */
const NOT_IN_FRAME = ['again', 'broken', 'idle', 'keys', 'next', 'note', 'offer', 'previous', 'reading', 'room', 'skips', 'start', 'try',
  'ways', 'weights', 'without']
/** Parts of the page that an element does not have. */
const ABSENT = ['app', 'opening', 'reading', 'bring', 'check', 'learned', 'lessonLinks', 'links', 'offline', 'unfetched']

/** The texts of the training page that an element displays, and its errors. */
const IN_TRAINING = ['title', 'drive', 'play', 'pause', 'step', 'again', 'pace', 'paces', 'history', 'progress', 'at', 'left', 'over',
  'trainLoss', 'heldLoss', 'right', 'previousToken', 'induction', 'headsSaid', 'stepAxis', 'lossSaid', 'rightSaid', 'sentence', 'answer',
  'before', 'stepNumber', 'module', 'head', 'share', 'other', 'otherTrain', 'otherRight', 'broken', 'brokenBack', 'tensor',
  'gradientOf', 'gradientsTogether', 'failed', 'errors']
const ERRORS_IN_TRAINING = ['sum', 'range', 'memory', 'unfit', 'pairs']

/** Some texts of an object. @param {Texts} texts @param {string[]} keys */
const pick = (texts, keys) => Object.fromEntries(keys.map(key => [key, texts[key]]))
/** All other texts of an object. @param {Texts} texts @param {string[]} keys */
const omit = (texts, keys) => Object.fromEntries(Object.entries(texts).filter(([key]) => !keys.includes(key)))

/** @typedef {{ [key: string]: Texts | string }} Texts */

/** Texts that every room has. */
const HEADING = /^(name|title)$/

/** The queries of imports of the texts of one model, and of a group of wordy rooms. */
const OF_MODEL = '?model=', OF_ROOMS = '?model=&rooms='

/**
 * Whether a text is fetched with a wordy room.
 * @param {string} key @param {string} name of the room @param {string[]} rooms
 */
const isOfWordyRoom = (key, name, rooms = Object.values(WORDY).flat()) => rooms.includes(name) && !HEADING.test(key)

/**
 * @param {Record<string, Texts>} stages texts of rooms
 * @param {(key: string, name: string) => boolean} isKept of a room by its name
 */
const filterStages = (stages, isKept) => Object.fromEntries(Object.entries(stages).map(([name, own]) => (
  [name, Object.fromEntries(Object.entries(own).filter(([key]) => !AROUND.test(key) && isKept(key, name)))])))

/** @param {Texts} texts @param {(key: string, name: string) => boolean} [isKept] @returns {Texts} */
function figureTexts({ stages = {}, ...texts }, isKept = () => true) {
  const kept = omit(texts, ABSENT)
  return { ...kept, stages: filterStages(/** @type {Record<string, Texts>} */ (stages), isKept) }
}

/**
 * The texts that figures need, of which the page's opening is no part.
 * @type {Plugin}
 */
const textsOfFigures = {
  name: 'texts of figures',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /\/words\/\w+\/training\.json$/ }, async ({ path }) => {
      const { theatre } = JSON.parse(await readFile(path, 'utf8'))
      const texts = { ...pick(theatre, IN_TRAINING), errors: pick(theatre.errors, ERRORS_IN_TRAINING) }
      return { contents: JSON.stringify({ theatre: texts }), loader: 'json' }
    })
    onLoad({ filter: /\/words\/\w+\/opening\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
    onResolve({ filter: /\?model=/ }, ({ path, resolveDir }) => {
      const [file, id] = path.split(OF_MODEL)
      return { path: fileURLToPath(new URL(file, `file://${resolveDir}/`)), suffix: OF_MODEL + id }
    })
    onLoad({ filter: /\/words\/\w+\/page\.json$/ }, async ({ path, suffix }) => {
      const [page, opening] = await Promise.all([path, path.replace('page.json', 'opening.json')]
        .map(async file => JSON.parse(await readFile(file, 'utf8'))))
      if (suffix.startsWith(OF_ROOMS)) {
        const rooms = /** @type {Record<string, string[]>} */ (WORDY)[suffix.replace(OF_ROOMS, '')]
        const own = Object.fromEntries(rooms.map(name => [name, page.page.stages[name]]))
        const stages = filterStages(own, (key, name) => isOfWordyRoom(key, name, rooms))
        return { contents: JSON.stringify(stages), loader: 'json' }
      }
      const id = suffix.replace(OF_MODEL, '')
      const { sheet = {}, ...own } = page.page.player ?? {}
      const player = { ...omit(own, NOT_IN_LESSON), sheet: pick(sheet, OF_SHEET) }
      const frame = omit(page.page.frame ?? {}, NOT_IN_FRAME)
      const pageTexts = { ...opening.page, ...page.page, player, frame }
      const texts = id ? figureTexts({ ...opening.models?.[id], ...page.models?.[id] })
        : { page: figureTexts(pageTexts, (key, name) => !isOfWordyRoom(key, name)), models: {} }
      return { contents: JSON.stringify(texts), loader: 'json' }
    })
    onLoad({ filter: /\/elements\/model_texts\.js$/ }, async ({ path }) => {
      const languages = Object.keys(LANGUAGES), words = path.replace('elements/model_texts.js', 'words/')
      const loaders = await Promise.all(languages.map(async language => {
        const files = await Promise.all(['page', 'opening'].map(async name => JSON.parse(await readFile(`${words}${language}/${name}.json`, 'utf8'))))
        const ids = READY.map(({ id }) => id).filter(id => files.some(({ models }) => models?.[id]))
        return `${language}: { ${ids.map(id => `${id}: () => import('../words/${language}/page.json${OF_MODEL}${id}')`).join()} }`
      }))
      const rooms = languages.map(language => {
        const groups = Object.keys(WORDY).map(group => `${group}: () => import('../words/${language}/page.json${OF_ROOMS}${group}')`)
        return `${language}: { ${groups.join()} }`
      })
      return { contents: `const LOADERS = { ${loaders.join()} }, ROOMS = { ${rooms.join()} }
        export const loadModelTexts = async (language, model) => (await LOADERS[language][model]?.())?.default
        export const loadRoomTexts = async (language, group) => (await ROOMS[language][group]()).default` }
    })
  }
}

/** What loads texts of lessons and of notebooks, and their folders. */
const PARTS = Object.entries({ loadLessonTexts: 'lessons', loadNotebookTexts: 'notebooks' })

/**
 * The names of the scripts with the texts of lessons and notebooks, each language's apart: an element needs one's.
 * @type {Plugin}
 */
const textsOfParts = {
  name: 'texts of parts',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^texts of \w+\/\w+$/ }, ({ path, resolveDir }) => ({ path, namespace: 'texts', pluginData: resolveDir }))
    onLoad({ filter: /./, namespace: 'texts' }, ({ path, pluginData }) => ({
      contents: `export const load = id => import(\`./${path.replace('texts of ', '')}/\${id}.json\`)`, resolveDir: pluginData
    }))
    onLoad({ filter: /\/words\/parts\.js$/ }, () => {
      const loaders = PARTS.map(([name, part]) => {
        const all = Object.keys(LANGUAGES).map(language => `${language}: () => import('texts of ${language}/${part}')`)
        return `const ${part} = { ${all.join()} }
          export const ${name} = (language, id) => readTexts(language, async folder => (await ${part}[folder]()).load(id))`
      })
      return { contents: `import { readTexts } from './index.js'\n${loaders.join('\n')}` }
    })
  }
}

/** What a bundle with figures in it needs. */
export const FIGURE_PLUGINS = [cssAsText, textsOfFigures, textsOfParts, menuOnDemand]

/**
 * Builds the scripts of the elements into a folder.
 * @param {(options: BuildOptions & { outdir: string }, joined: string[]) => Promise<Metafile>} bundle
 * @param {string} folder
 * @param {Plugin[]} workerPlugins
 * @returns {Promise<Metafile>}
 */
export async function buildElements(bundle, folder, workerPlugins) {
  const common = { outdir: folder }
  const metafiles = await Promise.all([
    // A page may load elements.js under an address with a query, so that no chunk may import it.
    bundle({ ...common, entryPoints: { elements: here('index.js') }, chunkNames: 'chunks/element-[name]-[hash]', define: {},
      plugins: [...FIGURE_PLUGINS, fieldsOfFigures, picturesOfRooms] }, ['web/elements/start.js']),
    bundle({ ...common, entryPoints: { 'elements-worker': here('worker_start.js'), 'elements-code': here('worker.js') },
      chunkNames: 'chunks/elements-worker-part-[hash]',
      plugins: workerPlugins }, ['web/elements/worker.js', 'web/models/dates/run.js', 'src/js/optim/clip_grad.js?used', 'src/js/optim/adam.js?used'])
  ])
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs))
  }
}
