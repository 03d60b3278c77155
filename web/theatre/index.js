/** The training theatre: a model learns in a worker of its own, and what happens to it is shown as it happens. */

import { h, setText } from '../lib/dom.js'
import { inSlices } from '../lib/later.js'
import { prose } from '../lib/prose.js'
import { createClient } from './client.js'
import { answers } from './parts/answer.js'
import { attention } from './parts/attention.js'
import { closer, curves } from './parts/curves.js'
import { settingsPart } from './parts/settings.js'
import { transport } from './parts/transport.js'
import { createRecord } from './seen.js'
import { TASKS, defaultsOf, problemsOf, read, write } from './settings.js'
import { samples } from './samples.js'
import { wordsOf } from './words.js'

/** Until the reader stops moving a setting, nothing is begun anew. */
const CALM = 250

function taskChoice({ t, get, set }) {
  const inputs = TASKS.map(task => h('label', {}, h('input', {
    type: 'radio', name: 'theatre-task', value: task, onchange: () => {
      if (get().task !== task) set(defaultsOf(task))
    }
  }), h('span', {}, t(`theatre.tasks.${task}`))))
  const element = h('fieldset', { 'className': 'control', 'data-control': 'task' }, h('legend', {}, t('theatre.task')),
    h('div', { className: 'segments' }, inputs))
  const show = task => inputs.forEach(({ firstChild }) => { firstChild.checked = firstChild.value === task })
  return { element, show }
}

/**
 * @param {HTMLElement} container
 * @param {{ t: Function, language(): string, theme(): object, get(): object, set(patch: object): void }} context
 */
export async function theatre(container, context) {
  const t = await wordsOf(context)
  const record = createRecord()
  let settings = null, last = null, facts = { groups: [], parameters: 0 }, sentence = '', timer = 0, isGone = false
  let failure = ''
  const client = createClient({ onSeen: seen, onError: fails })
  const get = () => settings
  const set = patch => context.set({ theatre: write({ ...settings, ...patch }) })
  const ask = (...question) => client.ask(...question).catch(fails)
  const seek = step => ask('seek', { step: Math.max(0, step) })

  const choice = taskChoice({ t, get, set })
  const status = h('p', { className: 'problem theatre-problem', role: 'alert' })
  const [drive, charts, said, looks, more, options] = Array.from({ length: 6 }, () => h('div'))
  said.className = 'theatre-said'
  looks.className = 'theatre-looks'
  const details = h('details', { className: 'theatre-closer' }, h('summary', {}, t('theatre.closer')), more)
  const leave = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'leave', 'onclick': () => (
    context.set({ theatre: '' }, 'push')) }, t('theatre.leave'))
  const lead = h('p', { className: 'lead' })
  const count = h('p', { className: 'theatre-count' })
  container.replaceChildren(h('div', { className: 'theatre-head' }, h('h1', { tabindex: '-1' }, t('theatre.title')), leave),
    lead, h('div', { className: 'tools' }, choice.element), drive, status, charts,
    h('div', { className: 'theatre-pair' }, said, looks), details, options, count)

  const parts = {
    drive: transport(drive, {
      t, seek, play: pace => ask('play', { pace }), pause: () => ask('pause'), step: () => ask('step'),
      pace: pace => ask('pace', { pace }), again: () => open()
    }),
    curves: curves(charts, { t, theme: context.theme, seek }),
    answers: answers(said, { t, seek, ask: text => {
      sentence = text
      record.clearAnswers()
      ask('look', { sentence })
    } }),
    attention: attention(looks, {
      t, theme: context.theme, look: wanted => ask('look', { wanted }), redraw: () => draw(['attention'])
    }),
    closer: closer(more, { t, theme: context.theme, seek }),
    settings: settingsPart(options, { t, get, set })
  }
  details.addEventListener('toggle', () => draw(['closer']))

  const shows = {
    drive: view => parts.drive.update({ ...last, ...view }),
    curves: view => parts.curves.update(record.get(), view),
    answers: view => parts.answers.update(record.get(), {
      ...view, problem: last.problem ? t(last.problem.key, last.problem.values) : ''
    }),
    attention: () => parts.attention.update(last.answer),
    closer: view => details.open && parts.closer.update(record.get(), view),
    status: () => setText(status, failure || (last.broken ? brokenText(last.broken) : ''))
  }
  const show = inSlices(name => {
    if (isGone || !last) return
    shows[name]({
      total: settings.steps, known: record.get().loss.length, step: last.done, groups: facts.groups
    })
  })
  const draw = (names = Object.keys(shows)) => show(names)

  function brokenText({ step, loss, where }) {
    const place = where ? t(where.isGradient ? 'theatre.gradientOf' : 'theatre.tensor', { name: where.name }) : '–'
    return t('theatre.broken', { step, loss: String(loss), place, before: step - 1 })
  }

  function fails(error) {
    console.error(error)
    failure = t('theatre.failed', { message: error.message })
    setText(status, failure)
  }

  function seen(news) {
    record.add(news)
    last = { ...news, ...(news.isWhole ? {} : { answer: last?.answer, problem: last?.problem }) }
    container.setAttribute('data-step', news.done)
    container.setAttribute('data-playing', news.isPlaying ? 'yes' : 'no')
    draw()
  }

  async function open() {
    clearTimeout(timer)
    record.clear()
    failure = ''
    last = null
    try {
      facts = await client.open({ settings, sentence })
      setText(count, t('theatre.count', { parameters: facts.parameters }))
      container.setAttribute('data-open', write(settings))
      draw()
    } catch (error) {
      fails(error)
    }
  }

  function update(state) {
    const next = read(state.theatre)
    const isNew = settings === null || write(next) !== write(settings)
    const isOther = settings?.task !== next.task
    settings = next
    choice.show(settings.task)
    if (isOther) {
      sentence = samples[settings.task]
      parts.answers.fill(sentence)
      lead.replaceChildren(...prose(t(`theatre.leads.${settings.task}`)))
    }
    const problems = Object.fromEntries(Object.entries(problemsOf(settings))
      .map(([name, { key, values }]) => [name, t(key, values)]))
    parts.settings.update(settings, problems)
    container.classList.toggle('is-stale', Object.keys(problems).length > 0)
    clearTimeout(timer)
    if (!isNew || Object.keys(problems).length) return last && draw()
    if (last) ask('pause')
    timer = setTimeout(open, isOther ? 0 : CALM)
  }

  return {
    update,
    destroy() {
      isGone = true
      clearTimeout(timer)
      client.end()
      parts.curves.destroy()
      parts.closer.destroy()
    }
  }
}
