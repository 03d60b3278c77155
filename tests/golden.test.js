// Golden files can be regenerated: README.md lists each of them with the program beside it that writes it.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('golden/', import.meta.url)
const read = name => readFileSync(new URL(name, folder), 'utf8')
const names = readdirSync(folder)
const filesEndingIn = end => names.filter(name => name.endsWith(end)).sort()

/** The rows of the table in README.md: each golden file and the script that writes it. */
const rows = Array.from(read('README.md').matchAll(/^\| `(\w+\.json)` \| `(\w+\.(?:py|mjs))` \|/gm), ([, data, script]) => ({ data, script }))

test('the table lists every golden file and nothing else', () => {
  assert.deepEqual(rows.map(({ data }) => data).sort(), filesEndingIn('.json'))
})

for (const { data, script } of rows) {
  test(`${data} is written by ${script}`, () => {
    assert.ok(names.includes(script), `there is no ${script}`)
    const source = read(script), stem = data.replace('.json', '')
    assert.ok(source.includes(`save("${stem}"`) || new RegExp(`['"]${data}['"]`).test(source), `${script} does not write ${data}`)
  })
}

test('a program that writes no golden file is imported by one that does', () => {
  const scripts = new Set(rows.map(({ script }) => script))
  const sources = filesEndingIn('.py').map(read).join('\n')
  for (const name of filesEndingIn('.py').filter(file => !scripts.has(file))) {
    assert.match(sources, new RegExp(`^(from|import) ${name.replace('.py', '')}\\b`, 'm'), name)
  }
})
