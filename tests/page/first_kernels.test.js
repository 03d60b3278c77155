// What build.sh lists as kernels of first runs and of trainings is enough for them: elements fetch no more.
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { createPlayer } from '../../src/training/player.js'
import { read } from '../../src/training/settings.js'
import { TASK_INFO } from '../../src/training/tasks/task_info.js'
import { makeRun } from '../lib/page.js'

const script = await readFile(new URL('../../build.sh', import.meta.url), 'utf8')
const listOf = name => new RegExp(`${name}=\\(([^)]*)\\)`).exec(script)[1].trim().split(/\s+/).map(kernel => `gf_${kernel}`)

/** The kernels of an engine without those that are not listed. */
function pickKernels(kernels, ...lists) {
  const known = new Set(lists.flatMap(listOf))
  return Object.fromEntries(Object.entries(kernels).filter(([name]) => !name.startsWith('gf_') || known.has(name)))
}

for (const model of ['dates', 'particles', 'induction', 'sentences']) {
  test(`a run of ${model} calls only the first kernels`, async () => {
    const gf = await load()
    const text = Object.entries(gf.engine.c).filter(([name]) => /^gf_(vocab|words)/.test(name))
    gf.engine.c = { ...pickKernels(gf.engine.c, 'FIRST_KERNELS'), ...Object.fromEntries(text) }
    makeRun({ model }, [], gf).run.dispose()
  })
}

const SETTINGS = ['', '_optimizer-sgd', '_optimizer-sgd_momentum-0', '_decay-0.1', '_clip-0', '_dropout-0.1', '_smoothing-0.1', '_normFirst-1',
  '_positions-learned', '_repeat-1', '_batch-1', '_rate-1000_schedule-constant_warmUp-0_clip-0_optimizer-sgd']

const OPTIMIZERS = ['', '_optimizer-sgd_dropout-0.1_smoothing-0.1']
const KINDS = {
  dates: {}, particles: {}, induction: {}, sums: {},
  stories: { more: ['GELU_KERNELS', 'BPE_KERNELS'], variants: OPTIMIZERS },
  text: { more: ['GELU_KERNELS', 'BPE_KERNELS'], variants: [...OPTIMIZERS, '_unit-pairs'] }
}
for (const [task, { more = [], variants = SETTINGS }] of Object.entries(KINDS)) {
  test(`a training of ${task} calls only the first kernels, and in its steps those of trainings`, async () => {
    const { asked, sample: example } = TASK_INFO[task], sample = asked?.(example) ?? example
    for (const settings of variants) {
      const gf = await load(), kernels = gf.engine.c
      gf.engine.c = pickKernels(kernels, 'FIRST_KERNELS', ...more)
      const player = createPlayer(gf, read(task + settings)), { session } = player
      session.answer(sample)
      gf.engine.c = pickKernels(kernels, 'FIRST_KERNELS', 'TRAINING_KERNELS', ...more)
      for (let i = 0; i < 26; i++) player.step()
      player.seek(3)
      session.answer(sample)
      session.dispose()
    }
  })
}
