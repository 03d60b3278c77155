/**
 * Generates little stories from a grammar, with choices (who, where, what) and dependencies (names, things, colors,
 * pronouns, particles, speech).
 */

import { forms } from '../particle_forms.js'
import { bothNumbers } from '../english.js'

/** @typedef {import('../random.js').Random} Draw */

/** @param {string} text */
const list = text => text.split(',').map(word => word.trim())

/** The choices of a story. A kind that ends in a number is another item of its kind. */
const KOREAN = {
  name: list('민수, 지은, 서연, 하늘, 준호, 유진, 현우, 슬기, 하나, 영희, 보람, 소라'),
  place: list('공원, 시장, 바다, 학교, 도서관, 산, 마을, 숲'), time: list('오늘, 어제, 아침에, 주말에'),
  color: list('빨간, 파란, 하얀, 노란, 작은, 큰'), thing: list('공, 책, 우산, 모자, 가방, 인형, 사진, 시계, 꽃, 돌'),
  food: list('사과, 빵, 수박, 국수, 떡, 딸기, 김밥, 과자'), animal: list('고양이, 강아지, 토끼, 새, 거북이, 오리'),
  pet: list('나비, 별, 콩, 구름, 보리, 달'), got: list('찾았어요, 보았어요, 샀어요'), said: list('참 예뻐, 마음에 들어, 정말 좋아'),
  thanks: list('고마워, 정말 고마워, 잘 쓸게'), play: list('놀아요, 달려요, 산책해요, 잠을 자요')
}

const KOREAN_STORIES = [
  `{name:은} {time} {place}에 갔어요. 거기에서 {color} {thing:을} {got}. {name:은} “{color} {thing:이} {said}!”라고 말했어요.`,
  `{name:과} {name2:은} 친구예요. {name:은} {name2}에게 {color} {thing:을} 주었어요. {name2:은} “{thanks}, {name:아}!”라고 말했어요.`,
  `{name:은} {color} {animal:을} 키워요. {animal}의 이름은 {pet:이에요}. {name:은} {pet:과} {place}에서 {play}.`,
  `{name:은} {food:을} 좋아해요. 그래서 {time} {place}에서 {food:을} 먹었어요. {name2:은} {food:을} 싫어해요. 그래서 {food2:을} 먹었어요.`,
  `{name:은} {thing:과} {thing2:을} 샀어요. {thing:은} {name2}에게 주고, {thing2:은} {place}에서 잃어버렸어요.`,
  `{name:이} {name2}에게 “{thing:이} 어디에 있어?”라고 물었어요. {name2:은} “{thing:은} {place}에 있어.”라고 말했어요.`,
  `{weather}. {name:은} {place}에 갔어요. 그래서 {worn:을} 가지고 갔어요. {worn:은} {color} 것이에요.`
]

const ENGLISH = {
  name: list('Mina, Anna, Lena, Sora, Emma, Julia, Tom, Ben, Minho, Leo, Sam, Jun'),
  place: list('park, market, sea, school, library, forest, garden, river'),
  time: list('today, yesterday, one day, at night'),
  color: list('red, blue, white, yellow, small, big'),
  thing: list('ball, book, hat, bag, doll, clock, flower, stone, box, key'),
  food: list('apples, bread, noodles, cakes, berries, oranges, soup'),
  animal: list('cat, dog, rabbit, bird, turtle, duck'),
  pet: list('Star, Bean, Cloud, Coco, Moon, Snow'),
  got: list('saw, found, bought'), said: list('so pretty, very nice, just right'),
  thanks: list('Thank you, Thanks a lot, How kind'), play: list('play, run, walk, sleep')
}

const ENGLISH_STORIES = [
  `{name} went to the {place} {time}. There {he} {got} a {color} {thing}. "The {color} {thing} is {said}!" said {name}.`,
  `{name} and {name2} are friends. {name} gave {name2} a {color} {thing}. "{thanks}, {name}!" said {name2}.`,
  `{name} has a {color} {animal}. The name of {his} {animal} is {pet}. {He} and {pet} {play} in the {place}.`,
  `{name} likes {food}. {He} eats {food} at the {place}. {name2} does not like {food}. {He2} eats {food2}.`,
  `{name} bought a {thing} and a {thing2}. {He} gave the {thing} to {name2} and lost the {thing2} in the {place}.`,
  `"Where is the {thing}?" {name} asked {name2}. "The {thing} is in the {place}," said {name2}.`,
  `{name} has {two} {color} {thing:s}. The {thing:s} are in the {place}. {He} likes the {color} {thing:s}.`
]

/** The patterns of stories. */
export const PATTERNS = { ko: KOREAN_STORIES, en: ENGLISH_STORIES }

/** What to take along in which weather. */
export const WEATHER = [['비가 와요', '우산'], ['눈이 와요', '장갑'], ['날씨가 더워요', '모자'], ['날씨가 추워요', '목도리'], ['해가 나요', '선글라스']]

/** Women's names that do not end in a. */
const WOMEN = ['Lucy', 'Jane', 'Alice', 'Kate', 'Mary']

/** Whether a name counts as a woman's, by its ending. @param {string} name */
export const isShe = name => name.endsWith('a') || WOMEN.includes(name)

/** Two syllables make a name; there are far more such names than in the lists. */
const SYLLABLES = {
  ko: [[...'민지서하준유현다은수태예도시주재승가나윤'], [...'수은연준호진우아희민영윤서원율현빈람솔별']],
  en: [
    list('Mi, Le, So, Ka, Ni, Ro, Ta, Be, Lu, Da, Vi, Za, Pe, Jo, Ha'),
    list('na, ra, la, ta, sa, lo, ro, ko, no, mi, ni, len')
  ]
}

/** Every fifth of these names is held out of training. @type {Record<'ko' | 'en', Set<string>>} */
export const HELD_OUT_NAMES = { ko: namesOf('ko', true), en: namesOf('en', true) }
const NEW_NAMES = { ko: [...namesOf('ko', false)], en: [...namesOf('en', false)] }

/** @param {'ko' | 'en'} language @param {boolean} isHeldOut */
function namesOf(language, isHeldOut) {
  const [firsts, seconds] = SYLLABLES[language], listed = (language === 'ko' ? KOREAN : ENGLISH).name
  const kept = (/** @type {number} */ i, /** @type {number} */ j) => (i * 7 + j * 3) % 5 === 0
  const names = firsts.flatMap((first, i) => (
    seconds.filter((second, j) => first !== second && kept(i, j) === isHeldOut).map(second => first + second)))
  return new Set(names.filter(name => !listed.includes(name)))
}

/** A name that nobody has, from random letters. @param {Draw} draw @param {'ko' | 'en'} language */
function anyName(draw, language) {
  const syllable = () => {
    const open = draw.below(19) * 21 + draw.pick([0, 4, 5, 8, 13, 18, 20])
    return String.fromCharCode(0xac00 + open * 28 + draw.pick([0, 0, 0, 1, 4, 8, 16, 21]))
  }
  if (language === 'ko') return draw.chance(0.3) ? syllable() + syllable() + syllable() : syllable() + syllable()
  const letters = () => draw.pick([...'bdfgklmnprstvz']) + draw.pick([...'aeiou'])
  const beginning = letters() + (draw.chance(0.5) ? letters() : '')
  const name = beginning + draw.pick(['', 'n', 'm', 't', 'te', 'd', 'r', 'sa', 'ra'])
  return name[0].toUpperCase() + name.slice(1)
}

/**
 * Which names a story uses: those of training, those without random ones, or only held-out ones.
 * @typedef {'trained' | 'plain' | 'held out'} Names
 */

/** A name that is not in the lists. @param {Draw} draw @param {'ko' | 'en'} language @param {Names} names */
function newName(draw, language, names) {
  if (names === 'held out') return draw.pick([...HELD_OUT_NAMES[language]])
  const name = names === 'trained' && draw.chance(0.25) ? anyName(draw, language) : draw.pick(NEW_NAMES[language])
  return HELD_OUT_NAMES[language].has(name) ? draw.pick(NEW_NAMES[language]) : name
}

/** How often a name is not from the lists, so that the model learns to copy names. */
const NEW = 0.6

/**
 * The words for the slots of a pattern: chosen once, then reused; {name2} is another one than {name}.
 * @param {Draw} draw @param {'ko' | 'en'} language @param {Names} names
 */
function chooser(draw, language, names) {
  /** @type {Record<string, string[]>} */ const kinds = language === 'ko' ? KOREAN : ENGLISH
  const [weather, worn] = draw.pick(WEATHER)
  /** @type {Record<string, string>} */
  const chosen = {
    weather: draw.pick(['오늘은 ', '아침부터 ', '']) + weather, worn, two: draw.pick(['two', 'three', 'some'])
  }
  const choose = (/** @type {string} */ kind) => {
    const isNew = kind === 'name' && (names === 'held out' || draw.chance(NEW))
    return isNew ? newName(draw, language, names) : draw.pick(kinds[kind])
  }
  return (/** @type {string} */ slot) => {
    const kind = slot.replace(/2$/, ''), others = [kind, `${kind}2`].map(item => chosen[item])
    while (chosen[slot] === undefined) {
      const word = choose(kind)
      if (!others.includes(word)) chosen[slot] = word
    }
    return chosen[slot]
  }
}

/** @type {Record<string, string>} */ const SHE = { he: 'she', He: 'She', his: 'her' }

/** The pronouns for a name. @param {string} word @param {string} name */
const pronoun = (word, name) => (isShe(name) ? SHE[word] : word)

/** A slot of a pattern: a kind of word, perhaps the second of its kind, perhaps with a particle or in the plural. */
export const SLOT = /\{([a-z]+)(2?)(?::([^}]+))?\}/gi

/**
 * Fills the slots of a pattern.
 * @param {string} pattern @param {(slot: string) => string} word
 */
export function written(pattern, word) {
  return pattern.replace(SLOT, (_, kind, second, family) => {
    if (/^(he|his)$/i.test(kind)) return pronoun(kind, word(`name${second}`))
    const said = word(kind + second)
    if (family === 's') return bothNumbers(said).many
    return family ? said + forms(family, said)[0] : said
  })
}

/**
 * A story.
 * @param {Draw} draw @param {'ko' | 'en'} language @param {Names} [names]
 */
export function story(draw, language, names = 'trained') {
  return written(draw.pick(PATTERNS[language]), chooser(draw, language, names))
}
