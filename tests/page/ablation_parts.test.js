// Parts of the page that only build elements and fill them in, held to a document that can do no more than that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuestion } from '../../web/lessons/question.js'
import { mountAttention } from '../../web/theatre/parts/attention.js'
import { mountSettings } from '../../web/theatre/parts/settings.js'
import { TRAINING_SETTINGS, TASKS, defaultsOf } from '../../src/training/settings.js'
import { useDocument } from '../lib/dom.js'

const container = useDocument()
const t = (key, values) => (values ? `${key} ${JSON.stringify(values)}` : key)
const initialResult = { wrong: [], right: null, isOver: false, text: '' }

test('invalid input is reported until an answer is given, then the hint is displayed', () => {
  const answers = []
  const { element, show } = createQuestion({ text: 'How many?', options: null }, t, { answer: value => answers.push(value) })
  const [[form], [input], [status]] = ['form', 'input', '.lesson-said'].map(selector => element.all(selector))
  const send = text => {
    input.value = text
    form.fire('submit')
  }
  show(initialResult)
  assert.equal(status.textContent, '')
  send('many')
  assert.match(status.textContent, /^player\.noNumber .*many/)
  show({ ...initialResult, wrong: [3], text: 'Look again.' })
  assert.match(status.textContent, /^player\.noNumber/, 'it still stands in the field')
  send('3')
  show({ ...initialResult, wrong: [3], text: 'Look again.' })
  assert.equal(status.textContent, 'Look again.')
  send('')
  assert.match(status.textContent, /^player\.noAnswer/)
  show({ wrong: [3], right: 4, isAnswered: true, text: 'Four.' })
  assert.equal(status.textContent, 'Four.')
  assert.deepEqual([answers, input.value, input.readOnly], [[3], '4', true])
})

test('every training setting has a control in its group, and a problem opens the group', () => {
  const state = defaultsOf(TASKS[0])
  const part = mountSettings(container, { t, get: () => state, set() {} })
  const [details] = container.all('.theatre-settings')
  assert.equal(details?.tagName, 'DETAILS')
  const sections = details.all('section')
  const displayed = sections.flatMap(section => section.all('.control').map(item => (
    [section.all('h2')[0].textContent, item.getAttribute('data-control')])))
  assert.deepEqual(new Set(displayed.map(String)), new Set(Object.entries(TRAINING_SETTINGS).filter(([, { kind }]) => kind !== 'mark')
    .map(([name, { group }]) => `theatre.groups.${group},${name}`)))
  part.update(state, {})
  assert.equal(details.open, false)
  part.update({ ...state, rate: -1 }, { rate: 'too small' })
  const rate = details.all('.control').find(item => item.getAttribute('data-control') === 'rate')
  assert.deepEqual([details.open, rate.all('.problem')[0].textContent], [true, 'too small'])
})

test('attention modules are listed by name, and each head can be chosen', () => {
  const selections = [], name = 'decoder.layers.0.self_attn.weights'
  const names = ['encoder.layers.0.self_attn.weights', name]
  const place = useDocument()
  let redrawCount = 0
  const part = mountAttention(place, {
    t, theme: () => ({ mode: 'light', palette: {} }), named: token => token, look: chosen => selections.push(chosen), redraw() { redrawCount++ }, pin() {}
  })
  const [modules, heads] = place.all('select')
  part.update({ attention: { names, name, heads: 2, rows: 1, cols: 1, values: Float32Array.of(1, 1) },
    rowTokens: ['a'], colTokens: ['a'] })
  const options = select => select.all('option').map(item => [item.value, item.textContent])
  assert.deepEqual(options(modules), names.map(name => [name, name.replace('.weights', '')]))
  assert.deepEqual([options(heads), modules.value, heads.value], [[['0', '0'], ['1', '1']], name, '0'])
  modules.value = names[0]
  modules.fire('change')
  heads.value = '1'
  heads.fire('change')
  assert.deepEqual([selections, redrawCount], [[names[0]], 1])
})
