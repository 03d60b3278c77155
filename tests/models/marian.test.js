import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose } from '../lib/compare.js'
import { marianFiles, translatorFiles } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

for (const item of cases('marian')) {
  test(`${item.name}: equals PyTorch's numbers`, async () => {
    const files = filesOf(item), { model } = await gf.models.load(files)
    assertOutputs(model, item, item.name)
    const { type, missing, unused, problems, parameters } = gf.models.inspect(files)
    assert.deepEqual({ type, missing, unused, problems }, { type: 'marian', missing: [], unused: [], problems: [] })
    assert.equal(parameters, item.tensors.reduce((sum, [, shape]) => sum + shape.reduce((n, side) => n * side, 1), 0))
  })
}

const [item] = cases('marian'), { ids: [row], decoderIds: [target] } = item.inputs

test('marian: padding on the right does not change the logits', async () => {
  const { model } = await gf.models.load(filesOf(item)), sentence = row.slice(0, 4)
  const run = (ids, attentionMask) => gf.noGrad(
    () => model.forward([ids], { attentionMask, decoderIds: [target] })).logits
  const plain = run(sentence)
  assertClose(run([...sentence, 7, 7], [[1, 1, 1, 1, 0, 0]]), plain, { tol: 1e-6 })
})

test('marian: the decoder starts with the token of the configuration', async () => {
  const { model } = await gf.models.load(filesOf(item)),
    run = options => gf.noGrad(() => model.forward([row], options)).logits
  assert.deepEqual(run().toArray(), run({ decoderIds: [[10]] }).toArray())
  assert.throws(() => run({ decoderIds: [[1], [2]] }), { code: 'shape', message: /decoderIds must have the batch size of ids, 1, got/ })
})

test('marian: the shared embedding may have the key of either stack', async () => {
  for (const name of ['model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight', 'lm_head.weight']) {
    const change = ({ 'model.shared.weight': shared, ...rest }) => ({ ...rest, [name]: shared })
    assertOutputs((await gf.models.load(filesOf(item, { change }))).model, item, name)
  }
  const more = filesOf(item, { change: t => ({
    ...t, 'model.encoder.embed_positions.weight': gf.rand([8, 12]),
    'model.decoder.embed_tokens.weight': t['model.shared.weight']
  }) })
  assert.deepEqual(gf.models.inspect(more).unused, [])
})

test('marian: other norms and positions are refused', async () => {
  for (const config of [{ normalize_before: true }, { add_final_layer_norm: true },
    { static_position_embeddings: false }]) {
    await assert.rejects(gf.models.load(filesOf(item, { config })), { code: 'format', message: /not supported/ })
  }
})

test('marian: a SentencePiece model alone, which has other ids, is not used as tokenizer', async () => {
  const { tokenizer } = await gf.models.load({ ...filesOf(item), 'source.spm': new Uint8Array(9), 'vocab.json': '{}' })
  assert.equal(tokenizer, null)
})

test('marian: vocab.json and source.spm are the tokenizer, in memory and as Blobs', async () => {
  const files = marianFiles(), expected = gf.text.tokenizer({ 'vocab.json': files['vocab.json'], 'source.spm': files['source.spm'] })
  const blobs = Object.fromEntries(Object.entries(files).map(([name, content]) => [`opus/${name}`, new Blob([content])]))
  for (const source of [files, blobs]) {
    const { tokenizer, model } = await gf.models.load(source)
    const { ids } = tokenizer.encode('The weights', { special: true })
    assert.deepEqual(ids, expected.encode('The weights', { special: true }).ids)
    assert.equal(ids.at(-1), 0)
    assert.ok(model.generate(ids, { maxNewTokens: 3, end: [] }).length === 3)
    model.dispose()
  }
  const { 'vocab.json': _, ...withoutVocab } = files
  assert.equal((await gf.models.load(withoutVocab)).tokenizer, null, 'the .spm has other ids')
})

test('marian: with two vocabularies the tokenizer encodes sources and decodes targets', async () => {
  const files = translatorFiles(), side = (vocab, spm) =>
    gf.text.tokenizer({ 'vocab.json': files[vocab], 'source.spm': files[spm] })
  const source = side('vocab.json', 'source.spm'), target = side('target_vocab.json', 'target.spm'), text = 'The weights'
  const { model, tokenizer } = await gf.models.load(files)
  const { ids } = source.encode(text, { special: true }), answer = target.encode(text, { special: true }).ids
  assert.notDeepEqual(ids, answer)
  assert.deepEqual(tokenizer.encode(text, { special: true }).ids, ids)
  assert.deepEqual(tokenizer.target.encode(text, { special: true }).ids, answer)
  assert.equal(tokenizer.decode(answer), target.decode(answer))
  assert.equal(tokenizer.decode(answer, { special: true }), `${text}</s>`)
  assert.notEqual(tokenizer.decode(ids), text)
  assert.deepEqual([tokenizer.size, tokenizer.target.size], [source.size, target.size])
  assert.equal(model.forward([ids], { decoderIds: [answer] }).logits.shape.at(-1), target.size)
  assert.ok(model.generate(ids, { maxNewTokens: 3, end: [], stop: ['no such text'] }).every(id => id < target.size))
  assert.throws(() => JSON.stringify(tokenizer), { code: 'state', message: /one vocabulary, and this tokenizer has two/ })
  const saved = gf.models.save(model, { tokenizer })
  for (const name of ['vocab.json', 'target_vocab.json', 'source.spm', 'target.spm']) {
    assert.deepEqual(Buffer.from(saved[name]), Buffer.from(files[name]), name)
  }
  const again = await gf.models.load(saved)
  assert.deepEqual(again.tokenizer.target.encode(text).ids, target.encode(text).ids)
  assert.deepEqual(again.tokenizer.encode(text).ids, source.encode(text).ids)
  const shared = await gf.models.load({ ...files, 'tokenizer_config.json': '{ "separate_vocabs": false }' })
  assert.equal(shared.tokenizer.decode(ids), text)
  for (const each of [model, again.model, shared.model]) each.dispose()
})

/** A SentencePiece file that puts no space before a text. @param {Uint8Array} file that puts one */
function withoutPrefix(file) {
  // Field 3 of the file is the normalizer, with its name and then the flags 3 (add_dummy_prefix) and so on.
  const spec = [0x1a, 2, 0x18, 0]
  return Uint8Array.of(...file, ...spec)
}

test('marian: with one vocabulary targets are split by target.spm, as in Hugging Face', async () => {
  const files = marianFiles(), text = 'The weights', other = { ...files, 'target.spm': withoutPrefix(files['target.spm']) }
  const side = spm => gf.text.tokenizer({ 'vocab.json': files['vocab.json'], 'source.spm': spm })
  const source = side(files['source.spm']), target = side(other['target.spm'])
  const { model, tokenizer } = await gf.models.load(other)
  assert.notDeepEqual(target.encode(text).tokens, source.encode(text).tokens)
  assert.deepEqual(tokenizer.encode(text, { special: true }), source.encode(text, { special: true }))
  assert.deepEqual(tokenizer.target.encode(text, { special: true }), target.encode(text, { special: true }))
  const { ids } = target.encode(text)
  assert.equal(tokenizer.decode(ids), target.decode(ids))
  assert.deepEqual(JSON.parse(JSON.stringify(tokenizer)), JSON.parse(JSON.stringify(source)), 'a tokenizer.json of the sources')
  const saved = gf.models.save(model, { tokenizer })
  for (const name of ['vocab.json', 'source.spm', 'target.spm']) assert.deepEqual(Buffer.from(saved[name]), Buffer.from(other[name]), name)
  assert.equal(JSON.parse(saved['tokenizer_config.json']).separate_vocabs, false)
  const again = await gf.models.load(saved)
  assert.deepEqual(again.tokenizer.target.encode(text).ids, ids)
  const { 'target.spm': _, ...withoutTarget } = files, plain = await gf.models.load(withoutTarget)
  assert.equal(plain.tokenizer.target, undefined)
  await assert.rejects(gf.models.load({ ...files, 'target.spm': new Uint8Array(9) }), { code: 'format', message: /target\.spm/ })
  for (const each of [model, again.model, plain.model]) each.dispose()
})

test('marian: a file of two vocabularies that is missing or malformed is named', async () => {
  const files = translatorFiles(), isSeparate = { 'tokenizer_config.json': '{ "separate_vocabs": true }' }
  for (const name of ['target.spm', 'target_vocab.json']) {
    const { [name]: _, ...rest } = files
    await assert.rejects(gf.models.load({ ...rest, ...isSeparate }), { code: 'format', message: new RegExp(`${name} is missing`) })
  }
  await assert.rejects(gf.models.load({ ...files, 'target.spm': new Uint8Array(9) }), { code: 'format', message: /target\.spm/ })
  await assert.rejects(gf.models.load({ ...files, 'target_vocab.json': '{}' }),
    { code: 'format', message: /target\.spm must be a unigram model, and target_vocab\.json must have/ })
})

test('marian: a missing final_logits_bias is zero', async () => {
  const { model } = await gf.models.load(filesOf(item, { change: ({ final_logits_bias: _, ...rest }) => rest }))
  assert.deepEqual(model.final_logits_bias.toArray(), new Array(11).fill(0))
})

test('marian: decoder positions count from the start of the target, also with a cache', async () => {
  const { model } = await gf.models.load(filesOf(item)), cache = new gf.decoding.Cache(20)
  const { maxPositions: positions } = model
  gf.tidy(() => gf.noGrad(() => {
    const ids = list => gf.tensor([list], { dtype: 'int32' }), memory = model.encode(ids(row.slice(0, 3)), null)
    const step = list => model.decode(ids(list), memory, { cache })
    step(Array(positions - 1).fill(1))
    step([1])
    assert.throws(() => step([1]), { code: 'range', message: new RegExp(`${positions + 1} positions, and the model has at most ${positions}`) })
  }))
})
