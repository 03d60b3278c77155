// The rooms on how a text is cut into tokens: what they show is what the tokenizer does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letterIndices } from '../../src/training/models/hangul.js'
import { spelled, joinTokens } from '../../src/training/models/token_text.js'
import { createTokenizer, stories } from '../../src/training/models/stories/data.js'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { bpeStep } from '../../web/worker/bpe_training.js'
import { stageOf } from '../../web/stages/index.js'
import { bertFiles, openModel, t5Files } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { toPageRun, makeDetachedRun, createView } from '../lib/page.js'

const bert = await openModel(bertFiles())
const t5 = await openModel(t5Files())

/** A run of an imported model as the page has it. */
function runOf(model, beginning) {
  const imported = RUNS.own(gf, { model: 'own', beginning }, [], [model])
  const run = toPageRun(gf, imported)
  imported.run.dispose()
  return run
}

/** The data of a stage's room. */
function displayStage(run, stage) {
  const { id } = roomsOf(run).find(room => room.stage === stage)
  const view = createView(run, id)
  return { ...stageOf(stage).data(run, view), picture: stageOf(stage).picture(run, view) }
}

test('WordPiece has its room after the pieces; its words make the tokens of the run', () => {
  const run = runOf(bert, 'Julia went to the riverbank.')
  assert.deepEqual(roomsOf(run).slice(1, 4).map(({ stage }) => stage), ['pieces', 'wordpiece', 'syllables'])
  const { words, vocabulary, picture } = displayStage(run, 'wordpiece')
  const { tokens: [tokens] } = run.streams.text
  assert.deepEqual(words.flatMap(({ ids }) => ids.map(id => vocabulary[id])), tokens.slice(1, -1))
  assert.ok(words.some(({ ids }) => ids.length > 1) && words.every(({ tries }) => tries.length > 0))
  assert.equal(picture.part.cols, words.length)
})

test('only words that are read are segmented; a text without words has none', () => {
  const run = runOf(bert, 'the river '.repeat(40))
  const { words } = displayStage(run, 'wordpiece')
  assert.equal(run.streams.text.ids[0].length, 64, 'as many as this BERT knows positions')
  assert.ok(words.flatMap(({ ids }) => ids).length >= 63)
  assert.ok(words.flatMap(({ ids }) => ids).length < 76)
  assert.deepEqual(displayStage(runOf(bert, ''), 'wordpiece').words, [])
})

test('a unigram model has its lattice: its path makes the tokens of the run, boxes do not overlap, totals are sums', () => {
  const run = runOf(t5, '나는 파리 여행을 다녀왔다. The weights 漢 are')
  assert.deepEqual(roomsOf(run).slice(1, 4).map(({ stage }) => stage), ['pieces', 'unigram', 'syllables'])
  const { stretches, picture } = displayStage(run, 'unigram')
  const boxes = stretches.flatMap(item => item.boxes), used = boxes.filter(({ kind }) => kind === 'taken')
  const { tokens: [tokens], ids: [ids] } = run.streams.text
  assert.deepEqual(used.map(({ id }) => id ?? t5.tokenizer.idOf('<unk>')), ids.slice(0, -1))
  assert.equal(used.filter(({ id }) => id !== undefined).map(({ piece }) => piece).join('').replace('漢', ''),
    tokens.slice(0, -1).filter(token => token !== '<unk>').join(''))
  assert.equal(picture.part.cols, used.length)
  assert.ok(stretches.length >= 6 && boxes.some(({ kind }) => kind === 'worse'))
  const sum = used.reduce((total, { score }) => total + score, 0)
  assert.ok(Math.abs(sum - stretches.at(-1).totals.at(-1)) < 1e-3)
  for (const { letters, boxes: all, totals } of stretches) {
    const cells = all.flatMap(({ line, first, last }) => Array.from({ length: last - first }, (_, i) => `${line} ${first + i}`))
    assert.equal(new Set(cells).size, cells.length)
    assert.equal(totals.length, letters.length + 1)
    for (const { first, last, piece, before, score, total, winner } of all) {
      assert.equal(piece, letters.slice(first, last).join(''))
      assert.equal(before, totals[first])
      assert.equal(total, before + score)
      if (winner) assert.ok(winner.total > total - 1e-6 && winner.last === last)
      else assert.ok(Math.abs(totals[last] - total) < 1e-4)
    }
  }
  assert.deepEqual(displayStage(runOf(t5, ''), 'unigram').stretches, [])
})

test('all 11,172 syllables decompose as in Unicode', () => {
  for (let code = 0xac00; code <= 0xd7a3; code++) {
    const [initial, vowel, final = '\u11a7'] = String.fromCharCode(code).normalize('NFD')
    const numbers = [initial, vowel, final].map((letter, i) => letter.charCodeAt(0) - [0x1100, 0x1161, 0x11a7][i])
    assert.deepEqual(Object.values(letterIndices(String.fromCharCode(code))), numbers)
  }
})

test('the bytes of a syllable are distributed over its tokens in order', () => {
  const tokenizer = createTokenizer(gf), utf8 = new TextEncoder()
  let split = 0
  for (const beginning of ['뷁 다윤은 아침에', '값싼 값, 뷁뷁 서연', ...stories(77, 6).map(text => text.slice(0, 40))]) {
    const run = makeDetachedRun({ model: 'stories', beginning, target: '.' }), { vocabulary, ids: [ids] } = run.streams.text
    const { syllables, isExample } = displayStage(run, 'syllables')
    assert.equal(isExample, !/[가-힣]/.test(beginning))
    assert.equal(syllables.map(syllable => syllable.syllable).join(''), isExample ? '한글' : beginning.match(/[가-힣]/g).join(''))
    for (const { syllable, bytes, code, offset, pieces } of syllables) {
      assert.deepEqual(bytes.map(({ hex }) => Number.parseInt(hex, 16)), [...utf8.encode(syllable)])
      assert.equal(Number.parseInt(bytes.map(({ bits }) => bits).join(''), 2), code)
      assert.equal(offset + 0xac00, code)
      const borders = pieces.slice(1).flatMap(({ range: [from] }) => [from, from])
      assert.deepEqual(pieces.flatMap(({ range }) => range), [0, ...borders, 3])
      for (const { id, token, range: [from, to] } of pieces) {
        assert.equal(vocabulary[id], token)
        assert.ok(isExample || ids.includes(id))
        const partBytes = [...utf8.encode(syllable)].slice(from, to).join()
        assert.ok(`,${[...tokenizer.bytesOf(id)].join()},`.includes(`,${partBytes},`))
      }
      split += pieces.length > 1 ? 1 : 0
    }
  }
  assert.ok(split > 2)
})

test('Hangul in other vocabularies: letters, characters, pieces of jamo, an unknown token', () => {
  const particles = displayStage(makeDetachedRun({ model: 'particles', gapped: '값[?] 싸요' }), 'syllables')
  assert.deepEqual(particles.syllables[0].pieces.map(({ token, range }) => [token, range]),
    [['ㄱ', null], ['ㅏ', null], ['-ㅄ', null]])
  const pieceData = displayStage(makeDetachedRun({ model: 'text', beginning: '하준은 뷁' }), 'syllables')
  assert.deepEqual(pieceData.syllables.map(({ pieces }) => pieces.map(({ token }) => token)), [['하'], ['준'], ['은']])
  const { syllables } = displayStage(runOf(t5, '나는'), 'syllables')
  assert.ok(syllables.length === 2 && syllables.every(({ pieces }) => pieces.length > 0))
  assert.deepEqual(displayStage(runOf(bert, '한'), 'syllables').syllables[0].pieces.map(({ token }) => token), ['[UNK]'])
})

test('parts of a character are displayed as bytes, never as the replacement character', () => {
  const bytes = [...new TextEncoder().encode('a한 글')]
  for (let from = 0; from < bytes.length; from++) for (let to = from + 1; to <= bytes.length; to++) {
    const tokens = bytes.slice(from, to).map(byte => spelled(Uint8Array.of(byte)))
    const text = joinTokens(tokens)
    assert.ok(!text.includes('\ufffd'), text)
    if (from === 0 && to === bytes.length) assert.equal(text, 'a한 글')
  }
  assert.equal(joinTokens(['⟨ED 95⟩', '나', '⟨EA B8⟩', '⟨80⟩']), '⟨ED 95⟩나글')
})

test('training on a pasted text: every step merges the most frequent pair, and its result is the next step', () => {
  const text = '바람이 불면 나뭇잎이 날리고, 바람이 자면 나뭇잎도 자요. aaaa aaaa'
  const tokenizer = gf.text.trainBPE(text, { vocabSize: 336, minFrequency: 2 })
  const rounds = Array.from({ length: tokenizer.merges.length }, (_, step) => bpeStep(gf, { text, step }))
  const last = bpeStep(gf, { text, step: -1 })
  assert.ok(rounds.length > 20)
  rounds.forEach(({ count, merge, pairs, words }, k) => {
    assert.equal(count, rounds.length)
    assert.deepEqual([merge.count, merge.pair], [tokenizer.merges[k].count, pairs[0].pair])
    assert.ok(pairs.every(pair => pair.count <= pairs[0].count))
    const now = words.flat().length, next = (rounds[k + 1] ?? last).words.flat()
    assert.ok(next.length < now && next.includes(merge.token))
  })
  assert.equal(last.merge, null)
  assert.ok(last.pairs.every(({ count }) => count < 2))
  assert.deepEqual(bpeStep(gf, { text: 'ab', step: 0 }), { count: 0, words: [['a', 'b']],
    pairs: [{ pair: ['a', 'b'], count: 1 }], merge: null })
})

test('a sentence in two languages has the tokenizer\'s tokens, and their bytes are those of the text', () => {
  const tokenizer = createTokenizer(gf)
  const { languages } = displayStage(makeDetachedRun({ model: 'stories' }), 'pieces')
  assert.deepEqual(languages.map(({ lang }) => lang), ['ko', 'en'])
  for (const { text, bytes, tokens } of languages) {
    const { ids } = tokenizer.encode(` ${text}`)
    assert.deepEqual(tokens, ids.map(id => spelled(tokenizer.bytesOf(id))))
    assert.equal(ids.reduce((sum, id) => sum + tokenizer.bytesOf(id).length, 0), bytes + 1)
    assert.equal(joinTokens(tokens), text)
  }
  const pieceData = displayStage(runOf(t5, 'a'), 'pieces').languages
  assert.deepEqual(pieceData.map(({ tokens }) => tokens.length),
    pieceData.map(({ text }) => t5.tokenizer.encode(text).ids.length))
  assert.deepEqual(displayStage(makeDetachedRun({ model: 'dates' }), 'pieces').languages, [])
})

test('without Korean in the tokenizer there is no Hangul room and no comparison, and the run works', () => {
  const vocab = Object.fromEntries([...'abc '].map((letter, id) => [letter, id]))
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': JSON.stringify({ model: { type: 'BPE', vocab, merges: [] } }) })
  assert.throws(() => tokenizer.encode('한'), { code: 'text' })
  const run = runOf({ ...bert, tokenizer }, 'a cab')
  assert.deepEqual(roomsOf(run).slice(1, 3).map(({ stage }) => stage), ['pieces', 'embedding'])
  assert.deepEqual(run.streams.text.languages, [])
})
