// The lattice of a unigram model, compared with a naive search and with SentencePiece.
import assert from 'node:assert/strict'
import test from 'node:test'
import { best, cuts } from '../../src/reference/unigram.js'
import { loadGolden } from '../golden/index.js'
import { stories } from '../../src/training/models/stories/data.js'
import { gf, nastyText, stream } from './text.js'

const golden = loadGolden('spm_models')
const bytesOf = base64 => new Uint8Array(Buffer.from(base64, 'base64'))
const spm = gf.text.tokenizer({ 'unigram.model': bytesOf(golden.models.unigram.model) })
const trained = gf.text.trainUnigram(stories(5, 200, { names: 'plain' }), { vocabSize: 400 })
const next = stream(44)

/** The tokens of a path; consecutive unknown characters are one. */
const tokensOf = ({ arcs, path }, name) => path.map(k => arcs[k].id)
  .filter((id, i, all) => id !== undefined || i === 0 || all[i - 1] !== undefined).map(id => id ?? name)

/** The arcs of a word, looked up one by one, and the best score up to each position. */
function searchNaively(word, idOf, scoreOf, isSingle) {
  const round = isSingle ? Math.fround : x => x
  const arcs = [], totals = new Map([[0, 0]])
  for (let from = 0; from < word.length; from++) {
    if (!totals.has(from)) continue
    for (let to = from + 1; to <= word.length; to++) {
      const id = idOf(word.slice(from, to))
      if (id === undefined) continue
      arcs.push(`${from} ${to} ${id}`)
      const total = round(totals.get(from) + scoreOf(id))
      if (!(totals.get(to) >= total)) totals.set(to, total)
    }
  }
  return { arcs, totals }
}

const formatArcs = ({ arcs }) => arcs.filter(({ id }) => id !== undefined).map(({ from, to, id }) => `${from} ${to} ${id}`)

test("the best path is SentencePiece's segmentation, with the pieces and scores of the vocabulary, on 300 texts", () => {
  const unknown = spm.idOf('<unk>')
  golden.texts.map(bytesOf).forEach((text, i) => {
    const words = spm.explain(text)
    assert.deepEqual(words.flatMap(word => word.ids), spm.encode(text).ids)
    for (const word of words) {
      assert.deepEqual(tokensOf(word, unknown), word.ids, `text ${i}`)
      assert.equal(word.path.map(k => word.text.slice(word.arcs[k].from, word.arcs[k].to)).join(''), word.text)
      for (const { piece, id, score, from, to } of word.arcs) {
        assert.equal(piece, word.text.slice(from, to))
        if (id !== undefined) assert.deepEqual([spm.tokenOf(id), Math.fround(spm.scoreOf(id))], [piece, score])
      }
    }
  })
})

test('arcs and totals equal those of a naive search on 1000 texts, in double and single precision', () => {
  let count = 0
  for (const [tokenizer, isSingle] of [[trained, false], [spm, true]]) {
    const list = Array.from({ length: tokenizer.size }, (_, id) => [tokenizer.tokenOf(id), id])
    const known = new Map(list.filter(([piece]) => !piece.startsWith('<')))
    const scores = id => (isSingle ? Math.fround(tokenizer.scoreOf(id)) : tokenizer.scoreOf(id))
    for (let i = 0; i < 500; i++) {
      const text = i % 2 ? nastyText(next).replaceAll('<', '') : stories(100 + i, 1)[0]
      for (const word of tokenizer.explain(text)) {
        const { arcs, totals } = searchNaively(word.text, piece => known.get(piece), scores, isSingle)
        if (word.arcs.some(({ id }) => id === undefined)) continue
        assert.deepEqual(formatArcs(word).sort(), arcs.sort(), word.text)
        assert.deepEqual(word.best.map(({ at, score }) => [at, score]), [...totals].sort((a, b) => a[0] - b[0]))
        word.best.slice(1).forEach(({ at, arc }) => assert.equal(word.arcs[arc].to, at))
        count += arcs.length
      }
    }
  }
  assert.ok(count > 10_000, `${count}`)
})

test('no segmentation of a short word is better than the path', () => {
  const scores = new Map(Array.from({ length: trained.size }, (_, id) => [trained.tokenOf(id), trained.scoreOf(id)]))
  const words = new Set(stories(900, 60).flatMap(text => trained.explain(text)).filter(word => word.text.length < 12)
    .map(word => JSON.stringify(word)))
  let segmentations = 0
  for (const word of [...words].map(text => JSON.parse(text))) {
    if (word.arcs.some(({ id }) => id === undefined)) continue
    const all = cuts(word.text, scores), { score } = best(word.text, scores)
    assert.ok(Math.abs(score - word.best.at(-1).score) < 1e-9, word.text)
    assert.ok(all.some(cut => cut.pieces.join() === word.path.map(k => word.arcs[k].piece).join()))
    segmentations += all.length
  }
  assert.ok(words.size > 50 && segmentations > 500, `${words.size} ${segmentations}`)
})

test('handles characters without a piece, characters of two UTF-16 units and an empty text', () => {
  const [word] = spm.explain('a漢😀b')
  const unknownArcs = word.arcs.filter(({ id }) => id === undefined)
  assert.deepEqual(unknownArcs.map(({ piece, from, to }) => [piece, from, to]), [['漢', 2, 3], ['😀', 3, 5]])
  const scores = Array.from({ length: spm.size }, (_, id) => spm.scoreOf(id))
  assert.ok(unknownArcs.every(({ score }) => score < Math.min(...scores)))
  const [{ arcs: [, unknownArc] }] = trained.explain('漢'), known = Array.from({ length: trained.size - 1 }, (_, i) => trained.scoreOf(i + 1))
  assert.deepEqual([unknownArc.id, unknownArc.score], [undefined, Math.min(...known) - 10])
  assert.deepEqual(word.best.map(({ at }) => at), [0, 1, 2, 3, 5, 6])
  assert.deepEqual(spm.explain(''), [])
  const memory = gf.memory().bytes
  for (let i = 0; i < 300; i++) spm.explain('나는 파리 여행을 다녀왔다')
  assert.equal(gf.memory().bytes, memory)
})

test('an empty text has no words', () => {
  for (const tokenizer of [spm, trained]) assert.deepEqual(tokenizer.explain(''), [])
})
