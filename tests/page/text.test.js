import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { splitProse } from '../../web/lib/prose.js'
import { particle, translator } from '../../web/lib/text.js'
import { MODELS, problemsOf } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { descriptionKey } from '../../web/shell/frame.js'
import { defaults, fromHash, patchFrom, toHash } from '../../web/models/state.js'
import { stages } from '../../web/stages/index.js'
import { readTwin } from '../../web/twin/choice.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { makeDetachedRun } from '../lib/page.js'
import { chinese, english, korean } from '../lib/texts.js'

const FRAME_PARTS = [
  'name', 'title', 'what', 'try', 'without', 'reading', 'whatFirst', 'whatUndivided', 'whatLearned', 'whatConcatenated',
  'whatOpen', 'whatShared', 'whatRelu', 'whatGelu', 'whatSilu', 'whatTied'
]
const WEB = new URL('../../web/', import.meta.url)
const [ko, en] = [korean.page, english.page]
const ALL = [korean, english, chinese]

const keysOf = (node, path = '') => Object.entries(node).flatMap(([key, value]) => (
  typeof value === 'string' ? [[`${path}${key}`, value]] : keysOf(value, `${path}${key}.`)))

async function sources(folder) {
  const entries = await readdir(folder, { withFileTypes: true })
  const texts = await Promise.all(entries.map(entry => {
    if (entry.isDirectory()) return sources(new URL(`${entry.name}/`, folder))
    return entry.name.endsWith('.js') ? readFile(new URL(entry.name, folder), 'utf8') : ''
  }))
  return texts.join('\n')
}

/** Every part that can be exchanged, by itself and all at once. */
const EXCHANGED = MODELS.flatMap(({ id, variants = [] }) => (
  variants.map(({ settings }) => ({ model: id, ...settings }))))
const runsOf = MODELS.map(({ id }) => ({ model: id, training: true }))

test('every room of every model has its five texts, and no text belongs to a missing room', async () => {
  const runs = [...runsOf, ...EXCHANGED].map(settings => makeDetachedRun(settings))
  const rooms = runs.flatMap(run => roomsOf(run).map(room => ({ ...room, model: run.settings.model })))
  for (const { words, model, aside = 'without' } of rooms) {
    const t = translator(ko, { own: () => korean.models[model] })
    for (const part of [...FRAME_PARTS.slice(0, 4), aside]) assert.ok(t(`stages.${words}.${part}`), `${words}.${part}`)
  }
  const knownKeys = new Set([...rooms.map(({ words }) => words), ...stages.map(({ id }) => id)])
  // Rooms of imported models and of faults: derived, but not from the runs above.
  const code = await sources(new URL('rooms/', WEB))
  assert.deepEqual(Object.keys(ko.stages).filter(id => !knownKeys.has(id) && !code.includes(`'${id}'`)), [])
})

test('the texts of a room match its computation for every exchanged part', () => {
  assert.equal(EXCHANGED.length, 10)
  for (const settings of EXCHANGED) {
    const run = makeDetachedRun(settings)
    const state = { ...defaults(settings.model), ...settings }
    const title = JSON.stringify(settings)
    for (const { page, models: modelWords } of ALL) {
      const t = translator(page, { own: () => modelWords[settings.model] })
      const roomsOfStage = stage => roomsOf(run).filter(room => room.stage === stage)
        .map(room => t(`stages.${room.words}.${descriptionKey(room, state)}`)).join(' ')
      const isSaid = (stage, words) => assert.match(roomsOfStage(stage), words, `${title}: ${stage}`)
      const isNot = (stage, words) => assert.doesNotMatch(roomsOfStage(stage), words, `${title}: ${stage}`)
      if (settings.norm === 'rms') {
        isSaid('norm', /nn\.RMSNorm/)
        isNot('norm', /nn\.LayerNorm|평균을 0|mean 0|均值 0/)
      } else isSaid('norm', /nn\.LayerNorm/)
      const name = { relu: /^(?!.*(SiLU|GELU는 음수|GELU turns|GELU 把)).*ReLU/, gelu: /^(?!.*(SiLU|ReLU)).*GELU/, swiglu: /SiLU/ }
      isSaid('activation', name[settings.activation])
      const [isShared, alone] = [/나눠 쓰|나눠 써요|share|共用/, /같은 크기의 묶음|equal groups|同样大小的几组/]
      if (settings.kvHeads < 4) for (const stage of ['qkv', 'heads']) isSaid(stage, isShared)
      else isSaid('qkv', alone)
      if (settings.positions === 'learned') isSaid('positions', /학습으로 정해요|learned like any other weight|与其他权重一样学来/)
      if (settings.positions === 'interleaved') isSaid('positions', /왼쪽 차원은 빠르게|left|左边变得快/)
      assert.equal(roomsOfStage('rotary') !== '', settings.positions === 'rotary', title)
      assert.equal(roomsOfStage('positions') !== '', ['interleaved', 'learned'].includes(settings.positions), title)
    }
  }
})

/** The first parts of the keys of the page's texts. */
const PARTS = 'app|bring|map|frame|inspector|controls|errors|stages|depth|figure|check|scrub|twin|opening|player|learned|reading|offline|elements'

test('no text key is unused, and none is missing', async () => {
  const code = await sources(WEB)
  const textKeys = keysOf(ko).map(([key]) => key)
  const keysIn = (quote, inside) => (
    [...code.matchAll(new RegExp(`${quote}((?:${PARTS})\\.${inside}+)${quote}`, 'g'))].map(match => match[1]))
  const literal = keysIn("'", '[\\w.]')
  const patterns = keysIn('`', "[\\w.${}'()\\s?:[\\]]")
    .map(key => key.replace(/^stages\.\$\{[^}]*\}\.\$\{\w+\}$/, `stages.\${id}.(${FRAME_PARTS.join('|')})`))
    .map(pattern => new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\$\{.*?\}/g, '\\w+')}$`))
  const texts = literal.filter(key => !/\.(js|json|css)$/.test(key))
  for (const key of texts) assert.ok(textKeys.includes(key), `${key} is used and not there`)
  for (const key of textKeys) {
    assert.ok(literal.includes(key) || patterns.some(pattern => pattern.test(key)), `${key} is there and not used`)
  }
})

test('of a model without feed-forward networks the attribution mentions none', () => {
  for (const { page, models } of [korean, english, chinese]) {
    // Neurons are shown of feed-forward networks only.
    const t = translator(page, { own: () => models.induction })
    const { roles: _, neurons: __, ...texts } = page.stages.attribution
    const keys = node => Object.entries(node).flatMap(([key, value]) => (
      typeof value === 'string' ? [key] : keys(value).map(rest => `${key}.${rest}`)))
    for (const key of keys(texts)) assert.doesNotMatch(t(`stages.attribution.${key}`), /feed-?forward|피드포워드|前馈/i, key)
  }
})

test('no exclamation marks', () => {
  for (const [key, text] of ALL.flatMap(({ page }) => keysOf(page))) assert.doesNotMatch(text, /[!！]/, key)
})

test('"step" means a step of decoding, of a lesson or of a training; rooms are not called steps', () => {
  const steps = /^(frame\.row$|app\.learnedAt$|bring\.training$|(player|scrub|opening\.titles|stages\.(sampling|decoding|cache))\.)/
  const isOfSteps = key => steps.test(key)
  const withoutPlaceholders = text => text.replace(/\{.*?\}/g, '')
  const wrong = (messages, word) => keysOf(messages)
    .filter(([key, text]) => word.test(withoutPlaceholders(text)) && !isOfSteps(key)).map(([key]) => key)
  assert.deepEqual(wrong(ko, /단계/), [])
  assert.deepEqual(wrong(en, /\b(steps?|stages?)\b/i), [])
  assert.deepEqual(wrong(chinese.page, /步(?!调)/), [])
  assert.deepEqual([ko.frame.row, ko.scrub.label], ['단계', '단계'])
  for (const [{ frame, check, twin }, room] of [[ko, /방/], [chinese.page, /房间/]]) {
    for (const text of [frame.room, check.room, twin.same]) assert.match(text, room)
  }
  assert.equal(particle('____', '을/를'), '을(를)', 'nobody knows yet what will stand there')
  assert.equal(particle('____', '으로/로'), '(으)로')
  assert.equal(translator(ko)('frame.room', { number: 3, total: 71 }), '방 71개 가운데 3번째')
})

test('particles follow the word they attach to', () => {
  const cases = [
    ['토큰', '은/는', '은'], ['헤드', '은/는', '는'], ['값', '을/를', '을'], ['키', '이/가', '가'],
    ['마스크', '을/를', '를'], ['점수', '으로/로', '로'], ['마스킹', '으로/로', '으로'], ['출력', '으로/로', '으로'],
    ['확률', '으로/로', '로'], ['16', '은/는', '은'], ['4', '은/는', '는'], ['1', '으로/로', '로'],
    ['3', '으로/로', '으로'], ['10', '으로/로', '으로'], ['token', '을/를', '을'], ['query', '을/를', '를'],
    ['label', '으로/로', '로'], ['‘나는’', '이/가', '이'], ['', '은/는', '는'],
    ['91%', '이에요/예요', '예요'], ['-ㄹ', '을/를', '을'], ['ㄱ', '이/가', '이'], ['ㄹ', '으로/로', '로'], ['ㅏ', '을/를', '를']
  ]
  for (const [word, pair, expected] of cases) assert.equal(particle(word, pair), expected, `${word} ${pair}`)
})

test('placeholders are filled with values and particles; a missing key throws in strict mode', () => {
  const t = translator({ a: { b: '{n|은/는} {n}' } })
  assert.equal(t('a.b', { n: 3 }), '3은 3')
  assert.equal(translator({ a: '‘{n|을/를}’ 읽어요' })('a', { n: '문장' }), '‘문장’을 읽어요')
  assert.throws(() => t('a.c'), /no text for 'a.c'/)
  assert.equal(translator({}, { strict: false })('a.c'), 'a.c')
})

test('English texts use the singular for one', () => {
  const t = translator({ a: 'read as {n|token/tokens}, “{n|word stands/words stand}”' })
  assert.equal(t('a', { n: 1 }), 'read as 1 token, “1 word stands”')
  assert.equal(t('a', { n: '2' }), 'read as 2 tokens, “2 words stand”')
  assert.equal(t('a', { n: 0 }), 'read as 0 tokens, “0 words stand”')
  const read = translator(english.page)('stages.house.reads', { input: 'a', read: 1 })
  assert.equal(read, 'The model just read “a” as 1 token.')
})

/** Limits of the page's, which are larger, and numbers that are larger wherever the words stand. */
const ALWAYS_MANY = [
  ['frame.unkept', 'of'], ['errors.tooLong', 'most'], ['errors.manyWords', 'most'], ['errors.signs', 'most'],
  ['steps.last.text', 'count']
]

test('English counts of words, tokens, layers and pieces have a singular', async () => {
  const lessons = await Promise.all(LESSONS.map(({ id }) => loadLessonTexts('en', id)))
  const counts = /\{(\w+)\} (tokens|words|layers|pieces|merges|characters|columns)\b/g
  const texts = [english.page, ...Object.values(english.models), english.training, ...lessons]
  const allKeys = texts.flatMap(part => keysOf(part))
    .flatMap(([key, text]) => [...text.matchAll(counts)].map(([, name]) => [key, name]))
  const plain = allKeys.filter(item => !ALWAYS_MANY.some(many => many.join() === item.join()))
  assert.deepEqual(plain, [])
})

test('running text is split into words, code and links', () => {
  assert.deepEqual(splitProse('Set `T` to [two](temperature=2), “please”: f(x)'), [
    { text: 'Set ' }, { text: 'T', isCode: true }, { text: ' to ' }, { text: 'two', change: 'temperature=2' },
    { text: ', “please”: f\u2060(x)' }])
  assert.deepEqual(splitProse('‘뽑기’로'), [{ text: '‘뽑기’\u2060로' }])
  assert.deepEqual(splitProse('[5/6](seed=1)'), [{ text: '5\u2060/\u20606', change: 'seed=1' }])
  assert.deepEqual(splitProse('[토큰](glossary=token)(`id`)은'), [
    { text: '토큰', change: 'glossary=token' }, { text: '\u2060(' }, { text: 'id', isCode: true }, { text: ')\u2060은' }])
  assert.deepEqual(splitProse('[헤드(head)](glossary=head)이고'), [
    { text: '헤드\u2060(head)', change: 'glossary=head' }, { text: '\u2060이고' }])
})

/** How a link writes a value. */
const serialize = value => String(typeof value === 'boolean' ? Number(value) : value)

test('suggested changes are the same in all languages, valid for their models, and fit into a link',
  () => {
    // What is done stands in one order; terms stand where each language has them.
    const listLinks = texts => keysOf(texts).flatMap(([key, text]) => {
      const changes = splitProse(text).flatMap(({ change }) => change ?? [])
      return { key, changes: key.includes('.what') ? changes.sort() : changes }
    })
    for (const texts of ALL) {
      assert.deepEqual(listLinks(texts.page), listLinks(en))
      for (const [id, words] of Object.entries(english.models)) {
        assert.deepEqual(listLinks(texts.models[id]), listLinks(words), id)
      }
    }
    let count = 0
    for (const { id } of MODELS) {
      const t = translator(ko, { own: () => korean.models[id] })
      const words = new Set(roomsOf(makeDetachedRun({ model: id, training: true })).map(room => room.words))
      for (const word of words) for (const { change } of splitProse(t(`stages.${word}.try`)).filter(item => item.change)) {
        const patch = patchFrom(change, id)
        const names = [...new URLSearchParams(change).keys()].sort()
        assert.deepEqual(Object.keys(patch).sort(), names, `${id}: ${word} ${change}`)
        const state = { ...defaults(id), ...patch }
        for (const [name, text] of new URLSearchParams(change)) assert.equal(serialize(patch[name]), text,
          `${word}: ${change}`)
        assert.deepEqual(fromHash(toHash(state)), state)
        assert.deepEqual(problemsOf(state), {}, `${id}: ${change}`)
        if (patch.twin) assert.ok(readTwin(patch.twin, state), `${id}: ${word} ${change}`)
        count += 1
      }
    }
    assert.ok(count > 30, `${count} deeds`)
  })
