// Classification heads of every family against PyTorch, their labels, and the heads that are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { assertOutputs as assertBody, cases as bodies, filesOf as bodyFiles } from './golden_models.js'
import { assertOutputs, assertSaved, caseOf, cases, filesOf } from './hashed_weights.js'

const HEADS = /For(SequenceClassification|TokenClassification|QuestionAnswering)$|^ElectraForPreTraining$/
const isClassifier = ({ config: { architectures: [name] } }) => HEADS.test(name)
const refuses = async (files, message, code = 'format') => {
  await assert.rejects(gf.models.load(files), { name: 'GlassformerError', code, message })
  assert.match(gf.models.inspect(files).problems.join('\n'), message)
}

for (const item of cases.filter(isClassifier)) test(`${item.name}: equals PyTorch's numbers`, async () => {
  const { model } = await gf.models.load(filesOf(item)), { architectures: [name], id2label } = item.config
  assertOutputs(model, item)
  assertOutputs((await gf.models.load(assertSaved(model, item))).model, item)
  assert.deepEqual(model.labels, id2label ? Object.values(id2label) : null)
  const shape = gf.tidy(() => gf.noGrad(() => {
    const { logits, startLogits } = model.forward(item.inputs.ids[0])
    return (logits ?? startLogits).shape
  }))
  const T = item.inputs.ids[0].length
  assert.deepEqual(shape, /Sequence/.test(name) ? [1, id2label ? 3 : 2]
    : /Token/.test(name) ? [1, T, 3] : [1, T])
  assert.throws(() => model.generate(item.inputs.ids[0], { maxNewTokens: 1 }),
    { code: 'state', message: /(has a classification head|is an encoder) and cannot generate/ })
  model.dispose()
})

test('labels may be left out, and num_labels then counts them', async () => {
  const item = caseOf('bert: SequenceClassification'), config = { id2label: undefined, num_labels: 3 }
  const { model } = await gf.models.load(filesOf(item, { config }))
  assertOutputs(model, item)
  assert.equal(model.labels, null)
  await refuses(filesOf(item, { config: { id2label: undefined } }), /classifier\.weight must have shape \[2, 12\], got \[3, 12\]/)
  await refuses(filesOf(item, { config: { id2label: { 0: 'a', 2: 'b' } } }), /id2label must have a label for each id from 0/)
})

test('a head whose tensors are missing is named, and ignoreHead loads the model without it', async () => {
  const item = caseOf('roberta: RobertaForSequenceClassification')
  const change = ({ 'classifier.dense.weight': _, ...tensors }) => tensors
  await assert.rejects(gf.models.load(filesOf(item, { change })), { code: 'format', message: /missing tensor classifier\.dense\.weight/ })
  const { model } = await gf.models.load(filesOf(item), { ignoreHead: true })
  const outputs = gf.tidy(() => Object.keys(gf.noGrad(() => model.forward(item.inputs.ids))))
  assert.deepEqual(outputs, ['hidden'])
  assert.equal(model.labels, null)
})

test('a source without an end token, or without tokens, cannot be classified', async () => {
  const { model } = await gf.models.load(filesOf(caseOf('bart: SequenceClassification')))
  assert.throws(() => model.forward([[3, 4, 5]]), { code: 'type', message: /end token 2/ })
  const { model: encoder } = await gf.models.load(filesOf(caseOf('electra: ForSequenceClassification, embeddings of 8')))
  assert.throws(() => encoder.forward([[]]), { code: 'shape', message: /at least one token/ })
})

/** Types of models, Hugging Face's classes with heads, the keys of these heads and their shapes. */
const KEYS = [
  ['bert', 'BertForSequenceClassification', { 'pooler.dense.weight': [12, 12], 'pooler.dense.bias': [12], 'classifier.weight': [2, 12], 'classifier.bias': [2] }],
  ['bert', 'BertForTokenClassification', { 'classifier.weight': [2, 12], 'classifier.bias': [2] }],
  ['bert', 'BertForQuestionAnswering', { 'qa_outputs.weight': [2, 12], 'qa_outputs.bias': [2] }],
  ['gpt2', 'GPT2ForSequenceClassification', { 'score.weight': [2, 12] }],
  ['llama', 'LlamaForSequenceClassification', { 'score.weight': [2, 12] }],
  ['llama', 'LlamaForQuestionAnswering', { 'qa_outputs.weight': [2, 12], 'qa_outputs.bias': [2] }],
  ['t5', 'T5ForSequenceClassification', {
    'classification_head.dense.weight': [12, 12], 'classification_head.dense.bias': [12],
    'classification_head.out_proj.weight': [2, 12], 'classification_head.out_proj.bias': [2]
  }]
]

for (const [type, architecture, shapes] of KEYS) test(`${architecture}: needs its tensors and its name, or ignoreHead`, async () => {
  const [item] = bodies(type), config = { architectures: [architecture] }
  const added = Object.entries(shapes).filter(([key]) => !item.tensors.some(([known]) => known === key))
  const change = ({ 'lm_head.weight': _, ...tensors }) =>
    ({ ...tensors, ...Object.fromEntries(added.map(([key, shape]) => [key, gf.rand(shape)])) })
  const key = Object.keys(shapes).at(-1)
  const both = t => ({ ...t, ...change(t) })
  const { missing } = gf.models.inspect(bodyFiles(item, { config }))
  assert.deepEqual([...missing].sort(), added.map(([name]) => name).sort())
  await assert.rejects(gf.models.load(bodyFiles(item, { config })), { code: 'format', message: /missing tensor/ })
  await refuses(bodyFiles(item, { change: both }), new RegExp(`has no .*${key}.*ignoreHead: true`))
  const { model } = await gf.models.load(bodyFiles(item, { change, config }))
  assert.equal(model.head.description.architecture, architecture)
  assert.throws(() => model.generate(item.inputs.ids[0]), { code: 'state', message: /cannot generate/ })
  const { model: body } = await gf.models.load(bodyFiles(item, { change: both, config }), { ignoreHead: true })
  assertBody(body, item, architecture)
  for (const each of [model, body]) each.dispose()
})
