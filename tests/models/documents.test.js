// The table of families in web/docs/models.md says what is so: every model_type, the models that people have of it, and
// with how many tiny models it was held to PyTorch.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { FAMILIES } from '../../src/js/models/families/index.js'
import { GGUF_TYPES } from '../../src/js/models/gguf.js'
import { MODELS_BY_TYPE } from '../../web/docs/families.js'
import { loadGolden } from '../golden/index.js'

const FILE = new URL('../../web/docs/models.md', import.meta.url), START = '<!-- families -->\n', END = '<!-- /families -->'
const KINDS = { sequence: 'sequences', token: 'tokens', question: 'answers', discriminator: 'replaced tokens' }
const cases = ['models', 'families', 'encoders'].flatMap(name => loadGolden(name).cases)

/** One row of the table. */
function rowOf({ type, heads = {} }) {
  const forms = typeof heads === 'function' ? heads({}) : heads
  const count = cases.filter(({ config }) => config.model_type === type).length
  const classifies = Object.keys(forms).map(kind => KINDS[kind]).join(', ')
  return `| \`${type}\` | ${MODELS_BY_TYPE[type]} | ${classifies} | ${GGUF_TYPES.includes(type) ? 'yes' : ''} | ${count} |`
}

test('the table of families in the documents matches the library', async () => {
  const types = FAMILIES.map(({ type }) => type)
  assert.deepEqual(Object.keys(MODELS_BY_TYPE).sort(), [...types].sort())
  const table = ['| `model_type` | models | heads that classify | GGUF | checked with |', '| --- | --- | --- | --- | --- |',
    ...FAMILIES.map(rowOf)].join('\n')
  assert.ok(!table.includes('| 0 |'), 'every family is checked')
  const text = await readFile(FILE, 'utf8'), [before, rest] = text.split(START), after = rest.slice(rest.indexOf(END))
  if (process.env.UPDATE) await writeFile(FILE, `${before}${START}\n${table}\n\n${after}`)
  assert.equal(await readFile(FILE, 'utf8'), `${before}${START}\n${table}\n\n${after}`, 'run with UPDATE=1')
})
