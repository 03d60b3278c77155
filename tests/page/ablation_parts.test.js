// Parts of the page that only build elements and fill them in, held to a document that can do no more than that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuestion } from '../../web/lessons/question.js'
import { mountAttention } from '../../web/theatre/parts/attention.js'
import { mountSettings } from '../../web/theatre/parts/settings.js'
import { TRAINING_SETTINGS, TASKS, defaultsOf } from '../../web/theatre/settings.js'
import { useDocument } from '../lib/dom.js'

const container = useDocument()
const t = (key, values) => (values ? `${key} ${JSON.stringify(values)}` : key)
const begun = { wrong: [], right: null, isOver: false, text: '' }

test('invalid input is reported until an answer is given, then the hint is displayed', () => {
  const given = []
  const { element, show } = createQuestion({ text: 'How many?', options: null }, t, value => given.push(value), () => {})
  const [[form], [input], [said]] = ['form', 'input', '.lesson-said'].map(wanted => element.all(wanted))
  const send = text => {
    input.value = text
    form.fire('submit')
  }
  show(begun)
  assert.equal(said.textContent, '')
  send('many')
  assert.match(said.textContent, /^lesson\.noNumber .*many/)
  show({ ...begun, wrong: [3], text: 'Look again.' })
  assert.match(said.textContent, /^lesson\.noNumber/, 'it still stands in the field')
  send('3')
  show({ ...begun, wrong: [3], text: 'Look again.' })
  assert.equal(said.textContent, 'Look again.')
  send('')
  assert.match(said.textContent, /^lesson\.noAnswer/)
  show({ wrong: [3], right: 4, isAnswered: true, text: 'Four.' })
  assert.equal(said.textContent, 'Four.')
  assert.deepEqual([given, input.value, input.readOnly], [[3], '4', true])
})

test('every training setting has a control in its group, and a problem opens the group', () => {
  const state = defaultsOf(TASKS[0])
  const part = mountSettings(container, { t, get: () => state, set() {} })
  const [details] = container.all('.theatre-settings')
  assert.equal(details?.tagName, 'DETAILS')
  const sections = details.all('section')
  const shown = sections.flatMap(section => section.all('.control').map(one => (
    [section.all('h2')[0].textContent, one.getAttribute('data-control')])))
  assert.deepEqual(new Set(shown.map(String)), new Set(Object.entries(TRAINING_SETTINGS).filter(([, { kind }]) => kind !== 'mark')
    .map(([name, { group }]) => `theatre.groups.${group},${name}`)))
  part.update(state, {})
  assert.equal(details.open, false)
  part.update({ ...state, rate: -1 }, { rate: 'too small' })
  const rate = details.all('.control').find(one => one.getAttribute('data-control') === 'rate')
  assert.deepEqual([details.open, rate.all('.problem')[0].textContent], [true, 'too small'])
})

test('attention modules are listed by name, and each head can be chosen', () => {
  const looked = [], name = 'decoder.layers.0.self_attn.weights'
  const names = ['encoder.layers.0.self_attn.weights', name]
  const place = useDocument()
  let redrawn = 0
  const part = mountAttention(place, {
    t, theme: () => ({ mode: 'light', palette: {} }), look: chosen => looked.push(chosen), redraw() { redrawn++ }, pin() {}
  })
  const [modules, heads] = place.all('select')
  part.update({ attention: { names, name, heads: 2, rows: 1, cols: 1, values: Float32Array.of(1, 1) },
    rowTokens: ['a'], colTokens: ['a'] })
  const options = select => select.all('option').map(one => [one.value, one.textContent])
  assert.deepEqual(options(modules), names.map(one => [one, one.replace('.weights', '')]))
  assert.deepEqual([options(heads), modules.value, heads.value], [[['0', '0'], ['1', '1']], name, '0'])
  modules.value = names[0]
  modules.fire('change')
  heads.value = '1'
  heads.fire('change')
  assert.deepEqual([looked, redrawn], [[names[0]], 1])
})
