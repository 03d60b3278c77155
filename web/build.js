/**
 * Builds the page: dist/site, a folder for any static host, and dist/glassformer.html, the same in one file that opens
 * from disk. Run by build.sh after the kernels.
 */

import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'esbuild'
import { collectCode } from './code/collect.js'
import { collectReference } from './docs/collect.js'
import { GUIDES, guideLinks, guidePage } from './docs/guides.js'
import { pageOf } from './docs/page.js'
import { FIGURE_PLUGINS, buildElements } from './elements/build.js'
import { UNUSED as NOT_IN_ELEMENTS, modelsOnDemand, trainingsOnDemand } from './elements/worker_plugins.js'
import { collectLearned } from './models/collect.js'
import { textsOfPictures } from './export/texts_of_pictures.js'
import { MODELS, READY, filesFor, settingsOf } from './models/index.js'
import { defaults } from './models/state.js'
import { createTemplates } from './opening/first_words.js'
import { buildJoined } from './join_chunks.js'
import { buildWidget } from './widget/build.js'
import { restOnDemand } from './rest_of_library.js'
import { FALLBACK, LANGUAGES } from './words/index.js'
import { fillMissing } from './words/fill_missing.js'

/** @import { BuildOptions, Metafile, OutputFile } from 'esbuild' */

/**
 * The content of each file of the site, as Subresource Integrity writes it.
 * @typedef {Record<string, string>} FileList
 */

/** @param {string} path */
const here = path => fileURLToPath(new URL(path, import.meta.url))
const SITE = here('../dist/site/')
const MAIN = '<script type="module" src="main.js"></script>'
const FIRST_WORDS = '<!-- first words -->'
const BEGIN = '<script type="module" async src="begin.js"></script>'
/** The weight files of models with their paths: `date_translator.safetensors` in `models/dates`. */
const FILES = [...MODELS.flatMap(({ id, files }) => files.map(name => ({ name, path: `models/${id}/${name}` }))),
  { name: 'clock_sums.safetensors', path: 'lessons/grokking/clock_sums.safetensors' }]

/**
 * Preserves class names, from which rooms are derived and which appear in errors. (esbuild's keepNames does it for
 * every function, which adds 14 KB gzipped to the engine's worker.)
 * @type {import('esbuild').Plugin}
 */
const classNames = {
  name: 'class names',
  setup: ({ onLoad }) => onLoad({ filter: /\/(src\/(js|training)|web\/(models|worker|theatre|check))\/.*\.js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8')
    return { contents: code.replace(/^(\s*(?:export )?(?:const \w+ = \w+ => )?class (\w+)[^{\n]*\{)$/gm, "$1 static name = '$2'") }
  })
}

/** A file of texts, with the English ones wherever the language lacks one, or the file. @param {string} path */
async function readWords(path) {
  const [texts, english] = await Promise.all([readFile(path, 'utf8').catch(() => '{}'),
    readFile(path.replace(/(\/web\/words\/)\w+/, `$1${FALLBACK}`), 'utf8')])
  return fillMissing(JSON.parse(texts), JSON.parse(english))
}

/** @type {import('esbuild').Plugin} */
const completeTexts = {
  name: 'complete texts',
  setup: ({ onLoad }) => onLoad({ filter: /\/web\/words\/\w+\/.*\.json$/ }, async ({ path }) => (
    { contents: JSON.stringify(await readWords(path)), loader: 'json' }))
}

/** Files of the library whose exports the engine's worker never calls. */
const UNUSED = new RegExp(`/src/js/(${[
  'ops/(bitwise|composed|derived|einsum|gated|in_place|subscript|windows)',
  'nn/(backward_hooks|conv|parameter_containers|print_module)',
  'optim/(adam|clip_grad|load_state|lr_schedulers|noam|optimizer|sgd)', 'autograd/function', 'compile/compile', 'export/(dynamic_axes|onnx_loss)',
  'files/checkpoint', 'models/(adapter|lora)', 'tensor/print_tensor', 'text/(chat_template|train_unigram)',
  'interpret/(ablate|activation_histogram|attribution_patch|head_scores|hook_names|linear_probe|path_patch|sparse_autoencoder|steering|top_activations)'
].join('|')})\\.js$`)

/**
 * Files of which the engine's worker needs less: nobody writes code in it, so that it reads no name that does not
 * exist.
 */
const REDUCED = {
  'interface/name_hints.js': `export const addAutogradHints = x => x, addEmbeddingHints = () => {}, addLibraryHints = x => x, addOptimizerHints = x => x, addSpellingHints = x => x,
    refuseUnknownExtremesNames = () => {}, refuseUnknownModuleNames = () => {}, refuseUnknownObjectNames = () => {},
    refuseUnknownTensorNames = () => {}`,
  'data/index.js': 'export const bindData = () => ({})'
}

/**
 * The names that a module exports.
 * @param {string} code
 */
const exportsOf = code => [
  ...Array.from(code.matchAll(/^export (?:async function|function\*?|class|const) (\w+)/gm), ([, name]) => name),
  ...Array.from(code.matchAll(/^export \{([^}]*)\}/gm), ([, names]) => names.trim().split(/\s*,\s*/)).flat()
]

/**
 * Parts of the library that a worker never calls are left out of what it fetches; calling one is an error. The other
 * workers have the whole library.
 * @param {RegExp} unused
 * @returns {import('esbuild').Plugin}
 */
const leavingOut = unused => ({
  name: 'without unused',
  setup({ onLoad, onResolve }) {
    // Lenses are fitted by Adam, and elements have trainings, although nothing else in the worker trains.
    onResolve({ filter: /\/(adam|clip_grad|optimizer|sgd)\.js$/ }, ({ path, importer, resolveDir }) => (
      unused.test('/src/js/optim/adam.js') && /\/(interpret\/fit|optim\/(adam|clip_grad|sgd)|theatre\/load_task)\.js$/.test(importer)
        ? { path: fileURLToPath(new URL(path, `file://${resolveDir}/`)), suffix: '?used' } : undefined))
    onLoad({ filter: unused }, async ({ path, suffix }) => {
      if (suffix) return undefined
      const names = exportsOf(await readFile(path, 'utf8'))
      return {
        contents: `import { leftOut } from '${here('worker/left_out.js')}'
          export const ${names.map(name => `${name} = /* @__PURE__ */ leftOut('${name}')`).join()}`
      }
    })
    for (const [name, contents] of Object.entries(REDUCED)) {
      onLoad({ filter: new RegExp(`/src/js/${name.replace('.', '\\.')}$`) }, () => ({ contents }))
    }
  }
})
const withoutUnused = leavingOut(UNUSED)

/** Parts of the library that the engine's worker fetches when they are used: to import, export or explain a model. */
const INTERPRETATION = ['circuits', 'composition_scores', 'fitted_lenses', 'input_attribution', 'logit_attribution', 'logit_lens', 'neuron_logits', 'patch']
const FETCHED_LATER = new RegExp(`/src/js/(models/index|export/(onnx|pytorch)|interpret/(${INTERPRETATION.join('|')}))\\.js$`)
const ON_DEMAND = '?on-demand'
/** The parts of interpretation are fetched together: what they share would else be many small files. */
const ALL_INTERPRETATION = 'all interpretation'
/** Their functions that return at once: they need a model, so that the models are there by then. */
const SYNCHRONOUS = /^(save|addAdapter|saveAdapter)$/

/**
 * Replaces functions by ones that fetch their code first, and return promises.
 * @type {import('esbuild').Plugin}
 */
const fetchedLater = {
  name: 'fetched later',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\?on-demand$/ }, ({ path, resolveDir }) => (
      { path: fileURLToPath(new URL(path.replace(ON_DEMAND, ''), `file://${resolveDir}/`)), suffix: ON_DEMAND }))
    // What is fetched later imports the rest of it as it is: a promise would be a wrong value there.
    onResolve({ filter: /^\.\/\w+\.js$/ }, ({ path, importer, resolveDir }) => {
      const file = `${resolveDir}/${path.slice(2)}`
      if (!FETCHED_LATER.test(file) || !/\/interpret\/(?!index\.js)/.test(importer)) return undefined
      return { path: file, suffix: ON_DEMAND }
    })
    onResolve({ filter: /^all interpretation$/ }, ({ path, resolveDir }) => ({ path, namespace: 'together', pluginData: resolveDir }))
    onLoad({ filter: /./, namespace: 'together' }, ({ pluginData }) => ({
      contents: INTERPRETATION.map(name => `export * from './${name}.js${ON_DEMAND}'`).join('\n'), resolveDir: pluginData
    }))
    onLoad({ filter: FETCHED_LATER }, async ({ path, suffix }) => {
      if (suffix) return undefined
      const file = path.includes('/interpret/') ? ALL_INTERPRETATION : `./${path.slice(path.lastIndexOf('/') + 1)}${ON_DEMAND}`
      const names = exportsOf(await readFile(path, 'utf8'))
      const declare = (/** @type {string} */ name) => (SYNCHRONOUS.test(name)
        ? `export const ${name} = (...args) => code.${name}(...args)`
        : `export const ${name} = async (...args) => (await fetched()).${name}(...args)`)
      return {
        contents: `let code
          const fetched = async () => (code ??= await import('${file}'))
          ${names.map(declare).join('\n')}`
      }
    })
  }
}

/**
 * The library finds its kernels by its own address; the page always passes theirs, so that the address may be any.
 * @type {BuildOptions}
 */
const common = {
  absWorkingDir: here('..'), bundle: true, minify: true, target: ['es2022', 'chrome123', 'firefox128', 'safari17.5'], legalComments: 'none', charset: 'utf8',
  define: { 'import.meta.url': '"https://glassformer.invalid/"' }, external: ['node:*'], logLevel: 'warning',
  plugins: [classNames, completeTexts]
}

/** @param {BuildOptions} options */
const bundle = options => build({ ...common, ...options })
/** @param {BuildOptions & { outdir: string }} options @param {string[]} [joined] modules that get one script each */
const bundleChunks = (options, joined = []) => buildJoined({ ...common, format: 'esm', ...options }, joined)
/**
 * Workers are modules: what two of them need is one chunk, and what is needed later another.
 * @type {BuildOptions & { outdir: string }}
 */
const workers = { outdir: SITE, chunkNames: 'chunks/worker-[hash]' }
/** @type {BuildOptions} */
const main = { entryPoints: [here('main.js')], format: 'esm' }

/** All kernels, the parts that the page and the elements fetch, those for GGUF's blocks, and all for threads. */
const KERNELS = ['', '.first', '.rest', '.training', '.gelu', '.text', '.bpe', '.blocks', '.threads', '.blocks.threads'].map(build => `glassformer${build}.wasm`)

/** Files that compress well; a server that finds the compressed ones sends them instead. */
const PACKED = /\.(html|js|css|json|wasm|safetensors)$/
/** @type {Record<string, [(bytes: Uint8Array, options: object) => Promise<Uint8Array>, object]>} */
const PACKS = { gz: [promisify(gzip), { level: 9 }], br: [promisify(brotliCompress), {}] }

/**
 * dist/site: scripts with source maps, styles, kernels, weights. Dynamic imports become chunks.
 * @returns {Promise<Record<'metafile' | 'elements', Metafile>>} esbuild's descriptions of the scripts
 */
async function site() {
  await rm(SITE, { recursive: true, force: true })
  await mkdir(SITE, { recursive: true })
  const page = await bundleChunks({
    entryPoints: ['begin.js', 'main.js'].map(here), outdir: SITE, chunkNames: 'chunks/[name]-[hash]', sourcemap: true
  }, ['web/begin.js', 'web/main.js', 'web/shell/rooms.js'])
  const worker = await bundleChunks({ ...workers, entryPoints: { worker: here('worker/index.js') }, sourcemap: true,
    plugins: [modelsOnDemand({ atOnce: MODELS[0].id }), withoutUnused, fetchedLater, restOnDemand, classNames] }, ['web/worker/index.js'])
  const elements = await buildElements(bundleChunks, SITE,
    [modelsOnDemand({ without: 'own' }), trainingsOnDemand, leavingOut(NOT_IN_ELEMENTS), withoutUnused, fetchedLater, restOnDemand,
      classNames])
  await bundleChunks({ ...workers, entryPoints: { check: here('check/worker.js'), theatre: here('theatre/worker.js') } })
  await bundle({ entryPoints: [here('exercises/worker.js')], outfile: `${SITE}cell.js`, format: 'iife' })
  await cellFrame()
  // The library with its kernels inside, for a script tag or wherever one file is wanted.
  await bundle({ entryPoints: [here('../src/js/index.js')], outfile: `${SITE}glassformer.inline.js`, format: 'esm', define: {},
    conditions: ['inline'], loader: { '.wasm': 'binary' } })
  await bundle({ entryPoints: [here('style.css')], outfile: `${SITE}style.css` })
  await bundle({ entryPoints: [here('exercises/style.css')], outfile: `${SITE}exercises.css` })
  await writeFile(`${SITE}code.json`, JSON.stringify(await collectCode()))
  await writeFile(`${SITE}learned.json`, JSON.stringify(await collectLearned()))
  const outputs = { ...page.outputs, ...worker.outputs }
  await preload(outputs)
  await reference()
  await guides()
  for (const name of KERNELS) await cp(here(`../dist/${name}`), SITE + name)
  for (const { name, path } of FILES) await cp(here(path), SITE + name)
  return { metafile: { ...page, outputs }, elements }
}

/** The document in which cells run: its policy allows its one script by hash. */
async function cellFrame() {
  const { outputFiles } = await bundle({ entryPoints: [here('notebooks/cell_frame.js')], write: false, format: 'iife' })
  const script = /** @type {OutputFile[]} */ (outputFiles)[0].text, page = await readFile(here('notebooks/cell.html'), 'utf8')
  await writeFile(`${SITE}cell.html`, page.replace("script-src '", `script-src ${hash(script)} '`)
    .replace('<script></script>', () => `<script>${script}</script>`))
}

const firstWords = async () => createTemplates(await Promise.all(Object.keys(LANGUAGES).map(async language => (
  { language, ...(await readWords(here(`words/${language}/opening.json`))).page.opening }))))

/**
 * Preloads the static imports of the page, so that they are not discovered only after parsing it.
 * @param {Metafile['outputs']} outputs
 */
async function preload(outputs) {
  const names = new Set(['web/begin.js', 'web/main.js'].flatMap(entry => scriptsOf(outputs, [entry])))
  const links = [...names].filter(name => name !== 'main.js').map(name => `<link rel="modulepreload" href="${name}">\n`)
  const page = await readFile(here('index.html'), 'utf8')
  const words = await firstWords()
  await writeFile(`${SITE}index.html`, page.replace(MAIN, links.join('') + MAIN).replace(FIRST_WORDS, () => words))
}

/** The library's reference, generated from its source. */
async function reference() {
  await bundle({ entryPoints: [here('docs/search.js')], outfile: `${SITE}reference.js`, format: 'esm' })
  await bundle({ entryPoints: [here('docs/reference.css')], outfile: `${SITE}reference.css` })
  const shell = await readFile(here('docs/reference.html'), 'utf8')
  const links = await guideLinks(''), torchNames = JSON.parse(await readFile(here('docs/torch_names.json'), 'utf8'))
  await writeFile(`${SITE}reference.html`, pageOf(collectReference(), shell, torchNames).replace('<!-- guides -->', () => links))
}

/** Writes the digests of files of the site where a guide names them. @param {string} page */
async function withIntegrity(page) {
  const names = [...page.matchAll(/\{integrity of ([^}]*)\}/g)].map(([, name]) => name)
  const digests = await Promise.all(names.map(async name => integrity(await readFile(SITE + name))))
  return names.reduce((text, name, i) => text.replaceAll(`{integrity of ${name}}`, digests[i]), page)
}

/** The guides, with their pictures. */
async function guides() {
  const shell = await readFile(here('docs/guide.html'), 'utf8')
  await mkdir(`${SITE}docs`, { recursive: true })
  for (const name of GUIDES) {
    await writeFile(`${SITE}docs/${name}.html`, await withIntegrity(await guidePage(name, shell)))
  }
  await cp(here('pictures'), `${SITE}pictures`, { recursive: true })
}

/** Files of the site that the service worker does not store: copies, maps, itself, downloads, what elements need. */
const NOT_STORED = /\.(gz|br|map)$|^service_worker\.js$|^glassformer\.(html|inline\.js|(training|gelu|bpe)\.wasm)$/

/**
 * The service worker, which begins with the list of files. The manifest and the icons are beside it.
 * @param {Metafile} elements whose scripts the page itself does not use
 */
async function offline({ outputs }) {
  const scripts = Object.keys(outputs).map(path => path.replace(/^.*dist\/site\//, ''))
  for (const name of await readdir(here('offline'))) {
    if (!name.endsWith('.js')) await cp(here(`offline/${name}`), SITE + name)
  }
  const names = (await readdir(SITE, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(SITE, `${parentPath}/${name}`))
    .filter(name => !NOT_STORED.test(name) && !scripts.includes(name)).sort()
  /** @type {FileList} */
  const files = Object.fromEntries(
    await Promise.all(names.map(async name => [name, integrity(await readFile(SITE + name))])))
  await bundle({ entryPoints: [here('offline/service_worker.js')], outfile: `${SITE}service_worker.js`, format: 'iife',
    banner: { js: `self.FILES=${JSON.stringify(files)}` } })
}

/** @param {string} name */
async function pack(name) {
  const bytes = await readFile(SITE + name)
  // Brotli makes weights a hundredth smaller than gzip, in seventy times as long.
  const packs = Object.entries(PACKS).filter(([end]) => end === 'gz' || !name.endsWith('.safetensors'))
  await Promise.all(packs.map(async ([end, [compress, options]]) => (
    writeFile(`${SITE}${name}.${end}`, await compress(bytes, options)))))
}

async function packAll() {
  const names = await readdir(SITE, { recursive: true })
  await Promise.all(names.filter(name => PACKED.test(name) && name !== 'glassformer.html').map(pack))
}

/**
 * A worker as one script.
 * @param {string} path @param {import('esbuild').Plugin[]} [plugins]
 */
async function inline(path, plugins = [classNames]) {
  const { outputFiles } = await bundle({ entryPoints: [here(path)], write: false, format: 'iife', plugins })
  return /** @type {OutputFile[]} */ (outputFiles)[0].text
}
/** @param {string | Uint8Array} content */
const integrity = content => `sha256-${createHash('sha256').update(content).digest('base64')}`
/** @param {string} text */
const hash = text => `'${integrity(text)}'`

/** dist/glassformer.html: everything in one file, chunks too; the policy allows script and style by hash. */
async function single() {
  /** @param {string} name */
  const text = name => readFile(`${SITE}${name}`, 'utf8')
  const page = await readFile(here('index.html'), 'utf8')
  const [base, exercises, code, learned] = await Promise.all(['style.css', 'exercises.css', 'code.json', 'learned.json'].map(text))
  const style = base + exercises
  const [worker, check, theatre] = await Promise.all([
    inline('worker/index.js', [withoutUnused, classNames]), inline('check/worker.js'), inline('theatre/worker.js')
  ])
  const { outputFiles } = await bundle({ ...main, write: false })
  const [{ text: script }] = /** @type {OutputFile[]} */ (outputFiles)
  /** @param {string} name */
  const binary = name => readFile(`${SITE}${name}`, 'base64')
  const [wasm, blocks] = await Promise.all(['glassformer.wasm', 'glassformer.blocks.wasm'].map(binary))
  const files = await Promise.all(FILES.map(async ({ name }) => (
    `<script type="application/octet-stream" id="${name}">${await binary(name)}</script>\n`)))
  const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)}; ` +
    "img-src data: blob:; connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'"
  const parts = {
    '<link rel="manifest" href="manifest.webmanifest">\n<link rel="apple-touch-icon" href="icon-192.png">\n': '',
    '<link rel="stylesheet" href="style.css">': `<style>${style}</style>`,
    [FIRST_WORDS]: await firstWords(),
    [BEGIN]: '',
    [MAIN]: '',
    '</body>': `<script type="application/wasm" id="wasm">${wasm}</script>\n` +
      `<script type="application/wasm" id="blocks">${blocks}</script>\n` +
      files.join('') +
      `<script type="text/plain" id="worker">${worker}</script>\n` +
      `<script type="text/plain" id="check">${check}</script>\n` +
      `<script type="text/plain" id="theatre">${theatre}</script>\n` +
      `<script type="application/json" id="learned">${learned}</script>\n` +
      `<script type="application/json" id="code">${code.replaceAll('<', '\\u003c')}</script>\n` +
      `<script type="module">${script}</script>\n</body>`
  }
  let html = page.replace(/(Content-Security-Policy" content=")[^"]*/, (_, start) => start + policy)
  for (const [from, to] of Object.entries(parts)) {
    if (!html.includes(from)) throw new Error(`index.html has no ${from}`)
    html = html.replace(from, () => to)
  }
  for (const folder of ['../dist/', '../dist/site/']) await writeFile(here(`${folder}glassformer.html`), html)
}

/**
 * The scripts of some modules, and their static imports.
 * @param {Metafile['outputs']} outputs
 * @param {(string | undefined)[]} modules
 */
function scriptsOf(outputs, modules) {
  const found = new Set(Object.keys(outputs).filter(path => modules.includes(outputs[path].entryPoint)))
  for (const item of found) {
    outputs[item].imports.filter(({ kind }) => kind === 'import-statement').forEach(({ path: other }) => found.add(other))
  }
  return [...found].map(path => path.replace(/^.*dist\/site\//, ''))
}

/** What runs on a first visit, in the page's main language. */
const FIRST = ['web/begin.js', 'web/main.js', 'web/worker/index.js', 'web/words/ko/opening.json']

/**
 * The size of a first visit, raw and gzipped, without what is loaded on demand.
 * @param {Metafile} metafile
 */
async function report({ outputs }) {
  let [raw, packed] = [0, 0]
  const scripts = scriptsOf(outputs, FIRST)
  for (const name of ['index.html', 'style.css', ...scripts, 'glassformer.first.wasm', MODELS[0].files[0]]) {
    const [size, sent] = await sizesOf([name])
    raw += size
    packed += sent
    line(name, size, sent)
  }
  line('first visit', raw, packed)
}

/** @param {string} name @param {...number} sizes */
function line(name, ...sizes) {
  const [raw, packed] = sizes.map(size => String(size).padStart(8))
  console.log(`  ${name.padEnd(28)} ${raw} bytes ${packed} gzipped`)
}

/** The sizes of files of the page together, raw and gzipped. @param {string[]} names */
async function sizesOf(names) {
  const sizes = await Promise.all(['', '.gz'].map(end => Promise.all(names.map(name => readFile(`${SITE}${name}${end}`)))))
  return sizes.map(files => files.reduce((sum, { length }) => sum + length, 0))
}

/** What a page with one figure fetches, apart from the weights of its model and from Chart.js. */
const FIRST_FIGURE = ['elements/index', 'elements/start', 'elements/worker_start', 'elements/worker', 'stages/weights', 'models/dates/run']

/**
 * The size of a page's first figure, and of the further kind of room that takes most.
 * @param {Metafile} metafile of the elements
 */
async function reportElements({ outputs }) {
  const first = scriptsOf(outputs, [...FIRST_FIGURE.map(name => `web/${name}.js`), 'web/words/ko/page.json'])
  line('first figure', ...await sizesOf([...first, 'glassformer.first.wasm']))
  const stages = Object.values(outputs).flatMap(({ entryPoint = '' }) => (/^web\/stages\//.test(entryPoint) ? entryPoint : []))
  const sizes = await Promise.all(stages.map(async stage => (
    { stage, sizes: await sizesOf(scriptsOf(outputs, [stage]).filter(name => !first.includes(name))) })))
  const [largest] = sizes.sort((a, b) => b.sizes[1] - a.sizes[1])
  line(`further figure, at most (${largest.stage.slice('web/stages/'.length, -3)})`, ...largest.sizes)
}

/**
 * dist/elements: what the npm package has of the elements, with their kernels, weights and types.
 * @param {Metafile} metafile
 */
async function packageElements({ outputs }) {
  const folder = here('../dist/elements/')
  await rm(folder, { recursive: true, force: true })
  const weights = READY.flatMap(({ id }) => filesFor(settingsOf(defaults(id))))
  const scripts = scriptsOf(outputs, Object.values(outputs).map(({ entryPoint }) => entryPoint))
  const kernels = ['', '.first', '.rest', '.training', '.gelu', '.text', '.bpe'].map(build => `glassformer${build}.wasm`)
  await Promise.all([...scripts, ...kernels, 'code.json', 'learned.json', ...weights].map(name => cp(SITE + name, folder + name)))
  await Promise.all(['elements/elements.d.ts', 'elements/server.js'].map(path => cp(here(path), folder + basename(path))))
}

/** dist/elements/export_figure.js, with which the command draws pictures from the same weights. */
const exporter = () => bundle({
  entryPoints: [here('export/export_figure.js')], outfile: here('../dist/elements/export_figure.js'), format: 'esm',
  external: ['node:*', 'chart.js'], plugins: [leavingOut(NOT_IN_ELEMENTS), withoutUnused, textsOfPictures, classNames]
})

const { metafile, elements } = await site()
await offline(elements)
await Promise.all([single(), packAll(), packageElements(elements).then(exporter),
  buildWidget(bundle, [...FIGURE_PLUGINS, classNames])])
await report(metafile)
await reportElements(elements)
