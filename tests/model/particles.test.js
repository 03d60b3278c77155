// The model of missing words: its data, compared with independent rules, and its committed weights on unseen nouns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answer, filled, encodeSentence, wordsAt } from '../../src/training/models/particles/answer.js'
import { examples } from '../../src/training/models/particles/data.js'
import { accuracy, stemAttention } from '../../src/training/models/particles/measure.js'
import { createParticles } from '../../src/training/models/particles/model.js'
import { LONGEST, TOKENS, UNKNOWN, WORDS, decode, encode } from '../../src/training/models/particles/tokens.js'
import { ENGLISH, ENGLISH_HELD_OUT, KOREAN, KOREAN_HELD_OUT } from '../../src/training/models/particles/words.js'
import { gf } from '../lib/engine.js'

const here = path => fileURLToPath(new URL(`../../web/models/particles/${path}`, import.meta.url))
const WEIGHTS = here('particles.safetensors')

const model = createParticles(gf)
model.loadStateDict(gf.loadSafetensors(readFileSync(WEIGHTS)).tensors)
model.eval()

const heldOut = Object.fromEntries(['ko', 'en'].map(language => (
  [language, examples(2026, 800, { isHeldOut: true, languages: [language] })])))
const stemOf = ({ ids }, { stem }) => decode(ids.slice(...stem))

test('decoding the ids of a text gives the text in lower case with single spaces', () => {
  const same = [
    '나는 최근 파리 여행[?] 다녀왔다', '값이 싸다. 삶은 닭!', 'ㅋㅋㅋ ㅏ ㄳ', "'책'[?] 3권", 'the keys to the cabinet [?] here', '', '궤뷁'
  ]
  for (const text of same) assert.equal(decode(encode(text).ids), text)
  assert.equal(decode(encode('  The\tKEYS \n [?]  ').ids), 'the keys [?]')
  assert.equal(decode(encode('여행 [?] 갔다').ids), '여행[?] 갔다')
  assert.equal(decode(encode('파리'.normalize('NFD')).ids), '파리')
  assert.equal(decode(encode('☕[?] 좋다 👩‍🚀, é\ud800').ids), '□[?] 좋다 □, □□')
})

test('final consonants are separate tokens, and every token has its offsets', () => {
  const { tokens } = encode('강물[?] 가')
  assert.deepEqual(tokens, ['ㄱ', 'ㅏ', '-ㅇ', 'ㅁ', 'ㅜ', '-ㄹ', '[?]', ' ', 'ㄱ', 'ㅏ'])
  const text = 'The 값 [?]  👩‍🚀 key.'
  const { tokens: read, offsets } = encode(text)
  assert.deepEqual(read, ['the', ' ', 'ㄱ', 'ㅏ', '-ㅄ', '[?]', ' ', UNKNOWN, ' ', 'k', 'e', 'y', '.'])
  assert.deepEqual(offsets.map(([from, to]) => text.slice(from, to)).filter((_, i) => read[i] !== ' '),
    ['The', '값', '값', '값', '[?]', '👩‍🚀', 'k', 'e', 'y', '.'])
  assert.equal(new Set(TOKENS).size, TOKENS.length)
})

const CONSONANT = ['은', '이', '을', '과', '으로'], VOWEL = ['는', '가', '를', '와', '로']
const DIGIT_NAMES = ['영', '일', '이', '삼', '사', '오', '육', '칠', '팔', '구']
const LETTER_NAMES = { l: '엘', m: '엠', n: '엔', r: '알' }

/** The particles that may not follow a word, by the Unicode decomposition of its last syllable. */
function impossibleAfter(word) {
  const sign = word.at(-1)
  const syllable = DIGIT_NAMES[sign] ?? LETTER_NAMES[sign] ?? (/[a-z]/.test(sign) ? '이' : sign)
  if (!/[가-힣]/.test(syllable)) return []
  const letters = [...syllable.normalize('NFD')]
  if (letters.length === 2) return CONSONANT
  return letters[2] === '\u11af' ? [...VOWEL.filter(one => one !== '로'), '으로'] : VOWEL
}

test('the particles of the data follow the rules of Korean, including ㄹ before 로', () => {
  const seen = new Set()
  for (const isHeldOut of [false, true]) for (const one of examples(5, 1500, { isHeldOut, languages: ['ko'] })) {
    for (const place of one.places) {
      const word = stemOf(one, place), wrong = impossibleAfter(word)
      assert.ok(place.answers.includes(WORDS[place.target]) && place.answers.length > 0)
      assert.deepEqual(place.answers.filter(answer => wrong.includes(answer)), [], `${word}: ${place.answers}`)
      for (const answer of place.answers) seen.add(answer + (word.normalize('NFD').at(-1) === '\u11af' ? 'ㄹ' : ''))
    }
  }
  for (const answer of [...CONSONANT, ...VOWEL, '로ㄹ', '을ㄹ']) assert.ok(seen.has(answer), answer)
  assert.ok(!seen.has('으로ㄹ'))
})

const IRREGULAR = ['men', 'women', 'children', 'people', 'mice', 'geese', 'feet', 'teeth']
const looksMany = word => IRREGULAR.includes(word) || (/s$/.test(word) && !/(ss|us|lens)$/.test(word))

/** The grammatical number of a subject. */
function numberOf(subject) {
  if (/ and |^(these|those|some|many|two|three|both|they|we|you|i)\b/.test(subject)) return 'many'
  if (/^(a|an|this|that|every|he|she|it)\b/.test(subject)) return 'one'
  const noun = subject.split(' ').at(-1)
  return /^(fish|sheep)$/.test(noun) ? 'any' : looksMany(noun) ? 'many' : 'one'
}

test('the verbs of the data agree with their subjects, not with nouns between them', () => {
  const forms = {
    one: ['is', 'was', 'has', 'does'], many: ['are', 'were', 'have', 'do'], any: WORDS, i: ['am', 'was', 'have', 'do']
  }
  let misled = 0
  for (const isHeldOut of [false, true]) for (const one of examples(6, 1500, { isHeldOut, languages: ['en'] })) {
    const [place] = one.places, subject = stemOf(one, place), number = subject === 'i' ? 'i' : numberOf(subject)
    assert.deepEqual(place.answers.filter(word => !forms[number].includes(word)), [], one.text)
    const before = one.text.split(' [?]')[0].split(' ').at(-1)
    if (number !== 'i' && !subject.endsWith(before) && looksMany(before) !== (number === 'many')) misled += 1
  }
  assert.ok(misled > 600, `only ${misled} subjects have another number between them and their verb`)
})

test('the training data has no held-out nouns, and a seed gives the same sentences', () => {
  for (const [known, unseen] of [[KOREAN, KOREAN_HELD_OUT], [ENGLISH, ENGLISH_HELD_OUT]]) {
    const trained = new Set(Object.values(known).flat())
    assert.deepEqual(Object.values(unseen).flat().filter(noun => trained.has(noun)), [])
  }
  const words = new Set(Object.values(KOREAN_HELD_OUT).flat())
  const stems = examples(9, 4000, { languages: ['ko'] }).flatMap(one => one.places.map(place => stemOf(one, place)))
  assert.deepEqual(stems.filter(stem => words.has(stem)), [])
  assert.deepEqual(examples(3, 40), examples(3, 40))
  assert.notDeepEqual(examples(3, 40), examples(4, 40))
  assert.ok(examples(3, 3000).every(({ ids }) => ids.length <= LONGEST))
})

test('the committed weights choose the right particle and verb for unseen nouns', () => {
  const [ko, en] = ['ko', 'en'].map(language => accuracy(gf, model, heldOut[language]))
  assert.ok(ko.right >= 0.99 && ko.form >= 0.99, JSON.stringify(ko))
  assert.ok(en.right >= 0.97 && en.form >= 0.97, JSON.stringify(en))
  assert.ok(statSync(WEIGHTS).size <= 300_000)
})

test('the model has to guess if the word or its last letter is masked', () => {
  for (const language of ['ko', 'en']) for (const hiding of ['stem', 'last letter']) {
    const { form } = accuracy(gf, model, heldOut[language], hiding)
    assert.ok(form < 0.7, `${language}, ${hiding} hidden: ${form}`)
  }
})

test('a head attends from [?] to the last letter of the word', () => {
  const maxWeight = language => Math.max(...stemAttention(gf, model, heldOut[language].slice(0, 200)).flat())
  assert.ok(maxWeight('ko') > 0.6, `${maxWeight('ko')}`)
  assert.ok(maxWeight('en') > 0.4, `${maxWeight('en')}`)
})

const first = text => answer(gf, model, text).map(({ words: [{ word }] }) => word)

test('answers typical sentences', () => {
  const cases = {
    '나는 최근 파리 여행[?] 다녀왔다': ['을'], '나는 최근 파리[?] 떠났다': ['를'], '어제 바나나[?] 먹었어요': ['를'],
    '나는 뷁[?] 샀다': ['을'], '우리는 기차[?] 부산에 갔다': ['로'], '나는 지하철[?] 학교에 가요': ['로'],
    '나는 트럭[?] 시장에 갔다': ['으로'], '저는 빵[?] 우유[?] 샀어요': ['과', '를'],
    'the keys to the cabinet [?] on the table': ['are', 'were'],
    'the key to the cabinets [?] on the table': ['is', 'was'],
    'the blickets near the dax [?] disappeared': ['have'], 'the child with the toys [?] not sleep': ['does'],
    'Where [?] the keys?': ['are', 'were']
  }
  for (const [text, words] of Object.entries(cases)) {
    const given = first(text)
    if (given.length > 1) assert.deepEqual(given, words, text)
    else assert.ok(words.includes(given[0]), `${text}: ${given}`)
  }
  assert.equal(filled('저는 빵 [?] 우유[?] 샀어요', answer(gf, model, '저는 빵 [?] 우유[?] 샀어요')), '저는 빵과 우유를 샀어요')
})

test('accepts any text: emoji, lone surrogates, empty and very long texts', () => {
  assert.deepEqual(first(''), [])
  assert.deepEqual(first('빈칸이 없다'), [])
  for (const text of ['[?]', '😀[?] 좋다', '\ud83d[?]\udc00', '🇰🇷[?]\u0000', 'ㄱ[?]'.repeat(5), '[?'.repeat(9) + '[?]']) {
    const given = answer(gf, model, text)
    assert.equal(given.length, text.split('[?]').length - 1)
    for (const { words } of given) {
      assert.equal(words.length, WORDS.length)
      assert.ok(Math.abs(words.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-6)
    }
  }
  const long = encodeSentence(`${'아주 '.repeat(60)}긴 문장[?] 읽는다${' 또'.repeat(60)}`)
  assert.equal(long.ids.length, LONGEST)
  assert.equal(long.tokens[long.places[0]], '[?]')
  assert.deepEqual(wordsAt([3, ...Array(WORDS.length - 1).fill(0)], 0)[0].word, WORDS[0])
})

test('training gives the same bits every time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'particles-'))
  const trained = name => {
    const options = ['--steps', '6', '--tests', '40', '--out', join(folder, name)]
    const { status, stderr } = spawnSync(process.execPath, [here('train.js'), ...options])
    assert.equal(status, 1, `the exit code tells that the accuracy is too low: ${stderr}`)
    return readFileSync(join(folder, name))
  }
  assert.deepEqual(trained('one'), trained('other'))
  rmSync(folder, { recursive: true })
})
