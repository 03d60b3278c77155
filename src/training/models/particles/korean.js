/** Korean particles and sentences that test them. */

import { forms } from '../particle_forms.js'
import { KOREAN, KOREAN_HELD_OUT } from './words.js'

/** @typedef {import('../random.js').Random} Draw */

/** @param {string} text one entry a line */
const lines = text => text.trim().split(/\n\s*/)

/** Endings of a verb, _ for a space: plain and polite, past and present. */
const VERBS = Object.fromEntries(lines(`
  eat: 먹었다 먹었어요 먹는다 먹어요 먹었습니다 먹고_싶어요
  like: 좋아한다 좋아해요 좋아했다 싫어한다
  love: 사랑해 사랑해요 사랑한다
  buy: 샀다 샀어요 사요 샀습니다 골랐다
  see: 보았다 봤다 봤어요 본다 봐요 보고_싶어요
  drink: 마셨다 마셨어요 마신다 마셔요 마시고_싶어요
  find: 찾았다 찾았어요 찾는다 찾아요
  lose: 잃어버렸다 잃어버렸어요
  read: 읽었다 읽었어요 읽는다 읽어요
  hear: 들었다 들었어요 들어요
  go: 갔다 갔어요 간다 가요 갔습니다
  do: 했다 했어요 한다 해요 했습니다
  begin: 시작했다 시작했어요 시작한다 배운다 배워요 잘해요
  visit: 다녀왔다 다녀왔어요 다녀왔습니다
  meet: 만났다 만났어요 만나요 만났습니다
  be: 있다 있어요 있었다 있었어요 있습니다
  lack: 없다 없어요 없었다 없었어요
  good: 좋다 좋아요 좋았다 좋습니다 좋네요 재미있다 재미있어요
  tasty: 맛있다 맛있어요 맛있었다 달다 맵다
  big: 크다 커요 작다 작아요 비싸다 비싸요 아름답다 예뻐요 무겁다
  need: 필요하다 필요해요 필요했다
  come: 왔다 왔어요 온다 와요
  draw: 그렸다 그렸어요 그린다
  know: 안다 알아요 몰라요 기억한다 잊었다 믿는다 생각한다
  ride: 탔다 탔어요 탄다 타요
  raise: 키운다 키워요 키웠다
  become: 되었다 됐어요 된다
  differ: 다르다 달라요 같다 같아요 비슷하다
  play: 놀았다 놀았어요 논다 놀아요
  cut: 잘랐다 잘랐어요
  give: 주었다 줬어요 준다 줘요
  tell: 말했다 말했어요 이야기했다
  sleep: 잤다 잤어요 잔다 자요
  be_a: 학생이다 선생님이에요 친구입니다
  change: 바뀌었다 바뀌었어요 변했다
  wait: 기다렸다 기다려요 기다린다
  fight: 싸웠다 싸웠어요
  live: 산다 살아요 살았다
  leave: 떠났다 떠났어요 떠난다
  act: 웃는다 웃었어요 울었다 노래한다 달린다 달려요 친절하다 바빠요
  cute: 귀엽다 귀여워요 빠르다 운다 자고_있다
  far: 멀다 멀어요 가깝다 넓다 조용해요 아름답다
  use: 열었다 닫았다 씻었다 고쳤다 빌렸다 주세요 사용한다
`).map(line => line.split(': ')))

/**
 * Sentences: {kind:families} is a noun with its particle, <verb> one of the verb's endings, (a|b) one of these.
 * A slot's families follow from the rest of the sentence, whatever the noun; one that is listed twice is twice
 * as likely.
 */
const SENTENCES = lines(`
  {people:은/이} {food:을} <eat>
  {time}(나는|우리는|) {food:을} (많이 |다 |맛있게 |)<eat>
  (나는 |저는 |우리는 ){places:에서} {food:을} <eat>
  {time}{people:은/이} {drinks:을} <drink>
  (따뜻한 |시원한 |){drinks:을} <drink>
  (나는|저는|우리는) {food:을} (아주 |정말 |)<like>
  {pronouns:은} {people:을} (아주 |)(<love>|<like>)
  {people:은/이} {people:을} (<love>|<like>)
  {time}(나는 |저는 |){things:을} (새로 |)<buy>
  {people:은/이} {things:을} <buy>
  {people:은/이} {media:을} <see>
  (혼자 |같이 |)(재미있는 |){media:을} (<see>|<hear>)
  {time}{people:은/이} (잃어버린 |){things:을} <find>
  (나는 |){place}{things:을} <lose>
  {people:은/이} {place}{media:을} <read>
  (나는 |저는 |우리는 ){places:에서} {media:을} <read>
  {people:은/이} {places:에서} {media:을} <read>
  {time}{people:은/이} {places:에/로} <go>
  (나는 |우리는 |저는 ){time}{places:에/로} <go>
  {people:은/이} {activities:을} <do>
  (우리는 |){time}{activities:을} (다시 |)<begin>
  (나는 |저는 |우리는 |){time}(파리 |제주도 |가족 |){activities:을} <visit>
  {time}{people:은/이} {activities:을} <visit>
  (나는 |){time}{places:에/을} <visit>
  (나는 |){time}{people:을} <meet>
  {place}{people:을} <meet>
  {time}{people:은/이} {people:을} <meet>
  {things:은/이} {things} (위에|옆에|아래에|안에) <be>
  {things:은/이} 어디에 (있어요|있을까|있니)
  {places:에/에/은} {things:이} <be>
  {places:에/에/은} {people:이} (많다|많아요|<be>)
  {places:에/에/은} {animals:이} <lack>
  {time}{activities:이} <be>
  {media:은/이} (정말 |아주 |)<good>
  (오늘은 |오늘 |){weather:은/이} (참 |정말 |)<good>
  {food:은/이} (정말 |아주 |너무 |제일 |)<tasty>
  {people:이} 만든 {food:은/이} (정말 |제일 |)<tasty>
  {drinks:은/이} (정말 |너무 |)<tasty>
  {things:은/이} (너무 |정말 |아주 |)<big>
  (그|이|저) {things:은/이} <big>
  (나는 |우리에게는 |){ideas:이} <need>
  {people:은/이} (지금 |)<act>
  {animals:은/이} (정말 |아주 |)<cute>
  {places:은/이} (아주 |여기에서 |)<far>
  (오늘 |){rain:이} (많이 |)<come>
  {people:은/이} {places:에서/에/로} <come>
  {people:은/이} {vehicles:을} <ride>
  {time}{vehicles:을} <ride>
  {places:로} 가는 {vehicles:을} <ride>
  {people:과} {people:은/이} {place}<play>
  {people:과} {people:은} (친구다|친구예요|가족이다)
  (나는 |){people:과} (함께|같이) {food:을} <eat>
  (나는 |저는 |우리는 ){food:과} {drinks:을} <buy>
  (나는 |저는 ){things:과} {things:을} <buy>
  {animals:과} {animals:은/이} (서로 |)<differ>
  {people:은/이} {tools:로} {things:을} <draw>
  (나는 ){tools:로} {food:을} <cut>
  {people:은/이} {vehicles:로} {places:에} <go>
  (나는 |우리는 ){vehicles:로} {places:에} <go>
  {animals:을} (세 마리 |한 마리 |)<raise>
  {people:은/이} {animals:을} <raise>
  {people:은/이} {people:이} <become>
  {people:은/이} (벌써 |){ideas:을} <know>
  {ideas:은/이} (무엇일까|무엇인가요|중요하다|중요해요)
  {people:에게} {things:을} <give>
  {people:에게} {ideas:을} <tell>
  (나는 |우리는 |저는 ){places:에서} {activities:을} <do>
  {people:은/이} {places:에서} {people:을} <meet>
  {animals:은/이} {places:에서} <sleep>
  {people:은} <be_a>
  {things:이} {things:로} <change>
  {people:은/이} {people:을} <wait>
  {people:과} <fight>
  {people:은/이} {places:에} <live>
  {pronouns:은} {places:에} <live>
  (나는 |우리는 |그는 ){time}{places:을} <leave>
  {things:을} (빨리 |다시 |)<use>
  {people:은/이} {things:을} <use>
  {food:을} (하나 |두 개 |)주세요
  {places:에서} (학교|부산|집)까지 (걸었다|얼마나 걸려요|갔다)
  {numbers:과/에} {numbers:을} (더하면|곱하면) (얼마일까|얼마예요|8이다|13이다|20이다)
  {pronouns:은} {pronouns:을} (아주 |정말 |)(<love>|<like>|<know>|<wait>)
  {days:은} {weather:이} (참 |정말 |)<good>
  {days:은} {activities:이} <be>
`)

const PAST_TIMES = ['어제 ', '지난주에 ', '작년에 '], TIMES = [...PAST_TIMES, '오늘 ', '최근 ', '아침에 ', '주말에 ', '', '', '', '']
const PLACES = ['집에서 ', '학교에서 ', '공원에서 ', '시장에서 ', '', '', '']
const QUOTES = ['‘’', '“”', '\'\'', '""']
const BEGINNINGS = [...Array(30).fill(''), '네, ', '아, '], ENDS = [...Array(8).fill(''), '.', '.', '.', '?', '!', ' 😀']

/** The past tense has ㅆ at the end of a syllable. @param {string} verb */
const isPast = verb => verb.normalize('NFD').includes('\u11bb')

/** An ending that agrees with the tense before. @param {Draw} draw @param {string} verb @param {string} before */
function ending(draw, verb, before) {
  const all = VERBS[verb].split(' '), past = all.filter(isPast)
  const isPastTime = PAST_TIMES.some(time => before.includes(time)) && past.length > 0
  return draw.pick(isPastTime ? past : all).replaceAll('_', ' ')
}

/** Pairs of an initial consonant and a vowel. */
const OPEN_SYLLABLES = 19 * 21

/** One to four random syllables; ㄹ is frequent, since it has a rule of its own. @param {Draw} draw */
function madeUp(draw) {
  const syllable = () => {
    const final = draw.chance(0.45) ? 0 : draw.chance(0.25) ? 8 : 1 + draw.below(27)
    return String.fromCharCode(0xac00 + draw.below(OPEN_SYLLABLES) * 28 + final)
  }
  return Array.from({ length: 1 + draw.below(4) }, syllable).join('')
}

/** A number, letters that are read by their names, or a sign whose name is unknown. @param {Draw} draw */
function writtenWord(draw) {
  if (draw.chance(0.15)) return draw.pick(['🍎', '☕', '♥'])
  const signs = draw.chance(0.6) ? '0123456789' : 'bcdefghjklmnopqrstuvwxyz'
  return Array.from({ length: 1 + draw.below(3) }, () => draw.pick([...signs])).join('')
}

const ALL_HELD_OUT = new Set(Object.values(KOREAN_HELD_OUT).flat())

/** Kinds without made-up words. */
const CLOSED = ['pronouns', 'numbers', 'days']
const OPEN_SENTENCES = SENTENCES.filter(sentence => !CLOSED.some(kind => sentence.includes(`{${kind}`)))

/** @param {Draw} draw @param {string} kind @param {boolean} isHeldOut */
function noun(draw, kind, isHeldOut) {
  if (isHeldOut) return draw.pick(KOREAN_HELD_OUT[kind])
  if (CLOSED.includes(kind)) return draw.pick(KOREAN[kind])
  if (draw.chance(0.4)) return notHeldOut(draw)
  return draw.chance(0.05) ? writtenWord(draw) : draw.pick(KOREAN[kind])
}

/** @param {Draw} draw */
function notHeldOut(draw) {
  for (;;) {
    const word = madeUp(draw)
    if (!ALL_HELD_OUT.has(word)) return word
  }
}

/**
 * A part of a sentence: plain text, the word that decides, or a gap with its correct answers.
 * @typedef {string | { stem: string } | { answers: string[] }} Part
 */

/** @param {Draw} draw @param {string} slot @param {boolean} isHeldOut @returns {Part[]} */
function fillSlot(draw, slot, isHeldOut) {
  const [kind, families] = slot.split(':'), word = noun(draw, kind, isHeldOut)
  if (families === undefined) return [word]
  if (families === '에게') return [`${word}에게`]
  const answers = families.split('/').flatMap(family => forms(family, word))
  const [before, after] = draw.chance(0.05) ? draw.pick(QUOTES) : ['', '']
  return [before, { stem: word }, after, { answers }]
}

const ANY_KINDS = Object.keys(KOREAN).filter(kind => kind !== 'days' && kind !== 'pronouns')

/**
 * Words and particles without any sense, so that the model learns that a particle's form depends on its word alone.
 * @param {Draw} draw @returns {Part[]}
 */
function nonsense(draw) {
  const word = () => noun(draw, draw.pick(ANY_KINDS), false)
  const some = () => Array.from({ length: draw.below(3) }, () => `${word()} `)
  const family = draw.pick(['은', '이', '을', '과', '로']), stem = word()
  return [...some(), { stem }, { answers: forms(family, stem) }, ...some().map(item => ` ${item.trim()}`)]
}

/** A sentence in parts. @param {Draw} draw @param {boolean} isHeldOut @returns {Part[]} */
export function koreanSentence(draw, isHeldOut) {
  if (!isHeldOut && draw.chance(0.1)) return nonsense(draw)
  const pattern = draw.pick(isHeldOut ? OPEN_SENTENCES : SENTENCES)
  const sentence = pattern.replace(/\(([^)]*)\)/g, (_, choices) => draw.pick(choices.split('|')))
    .replace('{time}', () => draw.pick(TIMES)).replace('{place}', () => draw.pick(PLACES))
  const parts = sentence.split(/(\{[^}]*\}|<[^>]*>)/).filter(Boolean).flatMap(part => {
    if (part[0] === '{') return fillSlot(draw, part.slice(1, -1), isHeldOut)
    return [part[0] === '<' ? ending(draw, part.slice(1, -1), sentence) : part]
  })
  return [draw.pick(BEGINNINGS), ...parts, draw.pick(ENDS)].filter(Boolean)
}
