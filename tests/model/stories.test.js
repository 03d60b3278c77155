// The stories model: its data, compared with independent rules, its tokens, and the stories of its committed weights.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { continueText, nextTokens } from '../../src/training/models/stories/answer.js'
import { batchOf, createTokenizer, encode, stories } from '../../src/training/models/stories/data.js'
import { END, decode } from '../../src/training/models/stories/decode.js'
import { HELD_OUT_NAMES } from '../../src/training/models/stories/grammar.js'
import { beginningOf, isConsistent, inductionScores, previousTokenMask, consistentFraction } from '../../src/training/models/stories/measure.js'
import { CONFIG, LONGEST, createStories } from '../../src/training/models/stories/model.js'
import { DEFAULT_PARTS, VARIANTS, fileOf, shapeOf } from '../../src/training/models/stories/variants.js'
import { gf } from '../lib/engine.js'
import { longTest } from '../lib/long.js'

const here = path => fileURLToPath(new URL(`../../web/models/stories/${path}`, import.meta.url))
const WEIGHTS = here('stories.safetensors')

const tokenizer = createTokenizer(gf)
const model = createStories(gf)
model.loadStateDict(gf.loadSafetensors(readFileSync(WEIGHTS)).tensors)
model.eval()

const endsInConsonant = word => /[\u11a8-\u11c2]$/u.test(word.normalize('NFD'))

test('the Korean stories follow the rules of particles and stay consistent', () => {
  const seen = { vowel: 0, consonant: 0, quote: 0, thanks: 0 }
  for (const story of stories(11, 1500, { languages: ['ko'] })) {
    const [, name, topic] = /^(?:(?:오늘은|아침부터)? ?[^.]*\. )?([가-힣]+)(은|는|과|와|이|가) /u.exec(story)
    assert.equal(['은', '과', '이'].includes(topic), endsInConsonant(name), story)
    seen[endsInConsonant(name) ? 'consonant' : 'vowel'] += 1
    const [, color, thing, particle] = /거기에서 ([가-힣]+) ([가-힣]+)(을|를) /u.exec(story) ?? []
    if (thing) {
      assert.equal(particle === '을', endsInConsonant(thing), story)
      assert.match(story, new RegExp(`“${color} ${thing}(이|가) .*!”라고`, 'u'))
      seen.quote += 1
    }
    const [, called, vocative] = /, ([가-힣]+)(아|야)!”/u.exec(story) ?? []
    if (called) {
      assert.equal(called, name)
      assert.equal(vocative === '아', endsInConsonant(called))
      seen.thanks += 1
    }
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 100, `${what} ${count}`)
})

test('the English stories keep their pronouns and stay consistent', () => {
  let pets = 0
  for (const story of stories(12, 1500, { languages: ['en'] })) {
    const pet = /^(\w+) has a (\w+) (\w+)\. The name of (his|her) (\w+) is/.exec(story)
    const [, name, color, animal, his, same] = pet ?? []
    if (!name) continue
    assert.equal(his, /a$/.test(name) ? 'her' : 'his', story)
    assert.equal(same, animal)
    assert.match(color, /^[a-z]+$/)
    pets += 1
  }
  assert.ok(pets > 100)
})

test('isConsistent distinguishes consistent from inconsistent stories', () => {
  for (const story of stories(13, 400)) assert.ok(isConsistent(story), story)
  assert.ok(isConsistent('Mina has a red cat. The name of her cat is Star. She and Star play in the park.'))
  for (const wrong of [
    'Mina has a red cat. The name of his cat is Star. She and Star play in the park.',
    'Mina has a red cat. The name of her dog is Star. She and Star play in the park.',
    'Mina and Tom are friends. Mina gave Ben a red ball. "Thank you, Mina!" said Tom.',
    'Mina and Mina are friends. Mina gave Mina a red ball. "Thank you, Mina!" said Mina.',
    '민수과 지은은 친구예요. 민수는 지은에게 빨간 공을 주었어요. 지은은 “고마워, 민수야!”라고 말했어요.',
    '민수와 지은은 친구예요. 민수는 지은에게 빨간 공을 주었어요. 지은은 “고마워, 지은아!”라고 말했어요.',
    '오늘은 비가 와요. 민수는 공원에 갔어요. 그래서 장갑을 가지고 갔어요. 장갑은 빨간 것이에요.', ''
  ]) assert.ok(!isConsistent(wrong), wrong)
  assert.ok(isConsistent('민수와 지은은 친구예요. 민수는 지은에게 빨간 공을 주었어요. 지은은 “고마워, 민수야!”라고 말했어요.'))
})

test('the training stories have no held-out names', () => {
  for (const language of ['ko', 'en']) {
    const words = new Set(stories(17, 3000, { languages: [language] }).flatMap(story => (
      story.match(language === 'ko' ? /(?<=^|[ ,“])[가-힣]{2}(?=(은|는|이|가|과|와|에게|아|야)[ !])/gu : /\b[A-Z][a-z]+/g) ?? [])))
    assert.ok(HELD_OUT_NAMES[language].size > 25)
    assert.deepEqual([...HELD_OUT_NAMES[language]].filter(name => words.has(name)), [])
  }
})

test('a seed gives the same stories and tokens, and every story fits the maximum length', () => {
  assert.deepEqual(stories(3, 30), stories(3, 30))
  assert.notDeepEqual(stories(3, 30), stories(4, 30))
  assert.equal(tokenizer.size, CONFIG.vocabSize)
  assert.deepEqual(createTokenizer(gf).merges, tokenizer.merges)
  const { input, target } = batchOf(tokenizer, stories(5, 500))
  assert.ok(input[0].length <= LONGEST)
  assert.equal(target.length, 500 * input[0].length)
  input.forEach((row, b) => row.slice(1).forEach((id, t) => {
    const wanted = target[b * row.length + t]
    if (wanted >= 0 && wanted !== tokenizer.idOf(END)) assert.equal(wanted, id)
  }))
  assert.ok(target.filter(id => id === tokenizer.idOf(END)).length === 500)
})

test('decodes the tokens of any text to the same text; lone surrogates become U+FFFD', () => {
  for (const text of ['민수는 공원에 갔어요.', '  두  칸\n', '궯뷁', '👩‍🚀 가다', 'é', '\u0000', '', '\ufeffx']) {
    assert.equal(decode(tokenizer, encode(tokenizer, text)), text)
  }
  assert.equal(decode(tokenizer, encode(tokenizer, 'x\ud800')), 'x\ufffd')
  assert.equal(decode(tokenizer, encode(tokenizer, '궯').slice(0, -1)), '<0xEA><0xB6>')
  assert.equal(encode(tokenizer, '긴 글 '.repeat(200)).length, LONGEST)
  assert.equal(encode(tokenizer, '긴 글 '.repeat(200), 40).length, LONGEST - 40)
})

/** Minimum fractions of right stories. It is lower in Korean, whose names the model has to spell. */
const MIN_RIGHT = { ko: 0.8, en: 0.95 }

test('the committed weights continue stories consistently, also with unseen names', () => {
  for (const language of ['ko', 'en']) {
    const share = consistentFraction(gf, model, tokenizer, 40, { languages: [language] })
    assert.ok(share >= MIN_RIGHT[language], `${language}: ${share}`)
  }
  assert.ok(statSync(WEIGHTS).size <= 300_000)
})

for (const variant of Object.keys(VARIANTS)) {
  test(`${variant}: the file has the settings and the accuracy of its training`, () => {
    const file = here(`${variant}.safetensors`)
    const { tensors, metadata } = gf.loadSafetensors(readFileSync(file))
    const other = createStories(gf, { ...CONFIG, ...shapeOf(VARIANTS[variant]) })
    other.loadStateDict(tensors)
    other.eval()
    assert.deepEqual([metadata.steps, metadata.seed], ['5000', '42'])
    assert.ok(statSync(file).size <= 300_000)
    assert.equal(fileOf({ ...DEFAULT_PARTS, ...VARIANTS[variant] }), `${variant}.safetensors`)
    // The metadata is of 100 stories in each language; the first ten of them are measured here.
    for (const language of ['ko', 'en']) {
      const [all, share] = [Number(metadata[`right.${language}`]),
        consistentFraction(gf, other, tokenizer, 10, { languages: [language] })]
      assert.ok(all >= 0.5 && all <= 1, `${language}: ${all}`)
      assert.ok(share * 10 <= all * 100 + 1e-9 && (1 - share) * 10 <= (1 - all) * 100 + 1e-9, `${language}: ${share} of ${all}`)
    }
    other.dispose()
  })
}

test('a measurement gives the accuracy in the metadata of a file', () => {
  const { tensors, metadata } = gf.loadSafetensors(readFileSync(here('stories_norm_rms.safetensors')))
  const other = createStories(gf, { ...CONFIG, ...shapeOf(VARIANTS.stories_norm_rms) })
  other.loadStateDict(tensors)
  other.eval()
  assert.equal(String(consistentFraction(gf, other, tokenizer, 100, { languages: ['en'] })), metadata['right.en'])
  other.dispose()
})

test('every variant is another model of about the same size from the same seed', () => {
  const create = shape => {
    gf.manualSeed(42)
    const one = createStories(gf, { ...CONFIG, ...shapeOf(shape) })
    const out = gf.tidy(() => gf.noGrad(() => one.forward([[1, 2, 3, 4]]).values.slice()))
    const weights = one.stateDict()
    return { out, size: one.parameters().reduce((sum, weight) => sum + weight.numel(), 0), weights }
  }
  const usual = create({})
  for (const shape of Object.values(VARIANTS).slice(1)) {
    const { out, size, weights } = create(shape)
    assert.ok(out.some((value, i) => value !== usual.out[i]), JSON.stringify(shape))
    assert.ok(Math.abs(size / usual.size - 1) < 0.1, `${JSON.stringify(shape)}: ${size}`)
    if (shape.kvHeads) continue
    const [one, other] = [weights, usual.weights].map(all => all['decoder.layers.0.self_attn.in_proj_weight'].values)
    assert.deepEqual(one, other, 'attention begins with the same numbers')
  }
})

test('a model that attends to the previous token only tells inconsistent stories', () => {
  const share = consistentFraction(gf, model, tokenizer, 20, { names: 'plain', mask: previousTokenMask })
  assert.ok(share < 0.1, `${share}`)
})

test('a head attends to the token after an earlier occurrence of the current one', () => {
  const most = Math.max(...inductionScores(gf, model, tokenizer, stories(23, 40, { names: 'held out' })).flat())
  assert.ok(most > 0.4, `${most}`)
})

test('sampling depends on the seed only', () => {
  const storyOf = seed => continueText(gf, model, tokenizer, '민수는', { temperature: 1, seed }).text
  assert.equal(storyOf(1), storyOf(1))
  assert.ok(new Set([1, 2, 3, 4, 5, 6].map(storyOf)).size > 3)
  const next = nextTokens([0, 2, 1, 2], { topK: 3 })
  assert.deepEqual(next.map(({ id }) => id), [1, 3, 2])
  assert.ok(Math.abs(next.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-12)
  assert.deepEqual(nextTokens([0, 2, 1, 2], { temperature: 0 }), [{ id: 1, probability: 1 }])
})

test('continues any beginning without error', () => {
  for (const text of ['', ' ', '👋', '\ud83d', '하준은', 'Zed and Kara are friends.', 'ㅋㅋㅋ', '글 '.repeat(300), END]) {
    const { ids, given, text: all } = continueText(gf, model, tokenizer, text, { temperature: 0.8, seed: 3 })
    assert.ok(all.startsWith(text) && ids.length > given && ids.length <= LONGEST)
    assert.equal(ids[0], tokenizer.idOf(END))
  }
  const story = continueText(gf, model, tokenizer, '서준과 지우는 친구예요.').text
  assert.ok(isConsistent(story), story)
  assert.equal(beginningOf(story), '서준과 지우는 친구예요.')
})

longTest('training gives the same bits every time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stories-'))
  const trained = (name, ...more) => {
    const options = ['--steps', '4', '--tests', '1', '--out', join(folder, name), ...more]
    const { status, stderr } = spawnSync(process.execPath, [here('train.js'), ...options])
    assert.equal(status, more.length ? 0 : 1, `the exit code tells that the accuracy is too low: ${stderr}`)
    return readFileSync(join(folder, name))
  }
  assert.deepEqual(trained('one'), trained('other'))
  const variant = ['--variant', 'stories_llama']
  assert.deepEqual(trained('third', ...variant), trained('fourth', ...variant))
  assert.equal(spawnSync(process.execPath, [here('train.js'), '--variant', 'other']).status, 1)
  rmSync(folder, { recursive: true })
})
