/**
 * Trains the model of little stories with the steps of the training page: `npm run train`. A second training gives the
 * same bits. Options: --steps N, --seed N, --out FILE, --tests N, and --variant NAME for one of variants.js: the same
 * batches for a model with one exchanged part.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { continueText } from '../../../src/training/models/stories/answer.js'
import { LANGUAGES, createTokenizer, stories } from '../../../src/training/models/stories/data.js'
import { inductionScores, previousTokenMask, consistentFraction } from '../../../src/training/models/stories/measure.js'
import { VARIANTS } from '../../../src/training/models/stories/variants.js'
import { defaultsOf } from '../../../src/training/settings.js'
import { save, trainModel, trainingOptions } from '../training.js'

/** The variant whose accuracy is required; the others are only reported. */
const USUAL_VARIANT = 'stories'
const NAMES = { ko: 'Korean', en: 'English' }
const OUT = (/** @type {string} */ variant) => fileURLToPath(new URL(`${variant}.safetensors`, import.meta.url))
const { steps, seed, out, tests, variant } = trainingOptions(
  { steps: 5000, out: OUT, tests: 100, variant: USUAL_VARIANT, variants: VARIANTS })
const gf = await load(), tokenizer = createTokenizer(gf)
const percent = (/** @type {number} */ fraction) => `${(100 * fraction).toFixed(1)} %`

const model = trainModel(gf, { ...defaultsOf('stories'), ...VARIANTS[variant], steps, seed }, 1000)
/** @param {number} sum @param {import('../../../src/js/tensor/tensor.js').Tensor} parameter */
const addCount = (sum, parameter) => sum + parameter.numel()
console.log(`${variant}: ${model.parameters().reduce(addCount, 0)} parameters`)

/** @param {number} count @param {object} options */
const fraction = (count, options) => percent(consistentFraction(gf, model, tokenizer, count, options))

/** @type {Record<string, string>} */ const metadata = { steps: String(steps), seed: String(seed) }
for (const language of LANGUAGES) {
  const languages = [language], plain = { languages, names: 'plain' }
  const right = consistentFraction(gf, model, tokenizer, tests, { languages })
  metadata[`right.${language}`] = String(right)
  console.log(`\n${NAMES[language]}, stories that keep to what they began with`)
  console.log(`  names never trained on, likeliest token: ${percent(right)}`)
  console.log(`  names trained on, likeliest token: ${fraction(tests, plain)}`)
  console.log(`  names never trained on, drawn at temperature 0.8: ${fraction(tests, { languages, temperature: 0.8 })}`)
  console.log(`  looking back one token only: ${fraction(tests, { ...plain, mask: previousTokenMask })}`)
}
inductionScores(gf, model, tokenizer, stories(seed, 60, { names: 'held out' })).forEach((shares, layer) => (
  console.log(`attention to what came next before, layer ${layer}: ${shares.map(percent).join(', ')}`)))
console.log()
for (const text of ['', '하준은', '글라스와 유리는 친구예요.', 'Kara and Pip are friends.', 'Zed went to', 'Mina has']) {
  console.log(`  ${text} → ${continueText(gf, model, tokenizer, text, { temperature: 0.8, seed }).text}`)
}
save(gf, model, out, metadata)
const isEnough = LANGUAGES.every(language => Number(metadata[`right.${language}`]) >= 0.8)
if (variant === USUAL_VARIANT && !isEnough) process.exitCode = 1
