/**
 * What the elements' worker leaves out, and what it and the page's worker fetch when a model needs it. The models of
 * the page call no more than this; a test runs all of them. Models of the reader's own run on the page, whose worker
 * can fetch all of the library.
 */

import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OPTIMIZERS } from '../../src/training/optimizers/index.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'

/** @import { Plugin } from 'esbuild' */

/** Files whose exports no model of the page calls, and no training of an element. */
export const UNUSED = new RegExp(`/(src/js/(${[
  'decoding/(generate|process_logits|takes_cache|beam_search|cached_generation)', 'engine/load_blocks', 'export/\\w+', 'files/(gguf|remote)', 'interpret/hook_names',
  'models/\\w+', 'models/families/\\w+', 'nn/quantize', 'ops/(cumsum|nll_loss|normalize|one_hot|rounded|sort|stored_weight|where)', 'tensor/block_weights',
  'optim/load_state', 'threads/(index|gains|team|workers|mailbox|splits)',
  'text/(charsmap|explanations|files|gguf_tokenizer|pattern_search|pattern_tree|protobuf|sentencepiece|spm_normalizer|train_unigram)',
  'text/(unigram_model|wordlevel_model|wordpiece_model)'
].join('|')})|src/training/(cell_history|embeddings|training_file)|web/(models/imported/(open|broken|choose_dtype|run|generation|classification|streams|store)|worker/export_model))\\.js$`)

/** The library's text functions, which only some models need: the worker imports them for these. */
const TEXT = /\/src\/js\/text\/index\.js$/, WHOLE = '?whole'
const RUNS = fileURLToPath(new URL('../models/runs.js', import.meta.url))

/** @param {string} id @param {string} path */
const loadRun = (id, path) => `${id}: async (...rest) => (await import('${path}')).run(...rest)`

/**
 * Each model is fetched with its first run, and with those that need it the tokenizers.
 * @param {{ without?: string, atOnce?: string }} models one that is missing, and one that is there from the start
 * @returns {Plugin}
 */
export const modelsOnDemand = ({ without, atOnce }) => ({
  name: 'models on demand',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: TEXT }, ({ path, resolveDir, kind }) => (
      kind === 'dynamic-import' ? { path: fileURLToPath(new URL(path, `file://${resolveDir}/`)), suffix: WHOLE } : undefined))
    onLoad({ filter: TEXT }, ({ suffix }) => (suffix ? undefined : { contents: 'export const bindText = () => ({})' }))
    onLoad({ filter: /\/web\/models\/runs\.js$/ }, async ({ path }) => {
      const imports = Array.from((await readFile(path, 'utf8')).matchAll(/import \{ run as (\w+) \} from '(.*)'/g),
        ([statement, id, file]) => ({ statement, id, file })).filter(({ id }) => id !== without)
      const statements = imports.filter(({ id }) => id === atOnce).map(({ statement }) => statement)
      const runs = imports.map(({ id, file }) => (id === atOnce ? id : loadRun(id, file)))
      return { contents: `${statements.join('\n')}\nexport const RUNS = { ${runs.join()} }`, resolveDir: dirname(RUNS) }
    })
  }
})

/**
 * Each task is fetched with its first training, each optimizer with the first step of one.
 * @type {Plugin}
 */
export const trainingsOnDemand = {
  name: 'trainings on demand',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/training\/tasks\/index\.js$/ }, () => ({ contents: 'export const TASKS = {}' }))
    onLoad({ filter: /\/web\/theatre\/load_task\.js$/ }, () => {
      const loaders = (/** @type {object} */ ids, /** @type {string} */ folder) => (
        Object.keys(ids).map(id => `${id}: () => import('${folder}/${id}.js')`).join())
      return { contents: `import { TASKS } from '../../src/training/tasks/index.js'
        const LOADERS = { ${loaders(TASK_INFO, '../../src/training/tasks')} }
        const OPTIM = { ${loaders(OPTIMIZERS, '../../src/js/optim')} }
        export async function loadTask(gf, { task }) {
          TASKS[task] ??= (await LOADERS[task]())[task]
        }
        export async function loadOptimizer(gf, { optimizer }) {
          const clip = import('../../src/js/optim/clip_grad.js').then(({ clipGradNorm }) => ({ clipGradNorm }))
          Object.assign(gf.optim, ...await Promise.all([clip, OPTIM[optimizer]()]))
        }` }
    })
  }
}
