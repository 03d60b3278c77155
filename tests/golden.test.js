// Golden numbers can be made again: every file of them names the program beside it that writes it.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

const folder = new URL('golden/', import.meta.url)
const read = name => readFileSync(new URL(name, folder), 'utf8')
const names = readdirSync(folder)
const ending = end => names.filter(name => name.endsWith(end)).sort()

/** The rows of the table in README.md: data, and what makes it. */
const rows = Array.from(read('README.md').matchAll(/^\| `(\w+\.json)` \| `(\w+\.(?:py|mjs))` \|/gm), ([, data, maker]) => ({ data, maker }))

test('every golden file stands in the table, and nothing else does', () => {
  assert.deepEqual(rows.map(({ data }) => data).sort(), ending('.json'))
})

for (const { data, maker } of rows) {
  test(`${data} is written by ${maker}`, () => {
    assert.ok(names.includes(maker), `there is no ${maker}`)
    const source = read(maker), stem = data.replace('.json', '')
    assert.ok(source.includes(`save("${stem}"`) || new RegExp(`['"]${data}['"]`).test(source), `${maker} does not write ${data}`)
  })
}

test('a program that writes no golden file is read by one that does', () => {
  const makers = new Set(rows.map(({ maker }) => maker))
  const sources = ending('.py').map(read).join('\n')
  for (const name of ending('.py').filter(one => !makers.has(one))) {
    assert.match(sources, new RegExp(`^(from|import) ${name.replace('.py', '')}\\b`, 'm'), name)
  }
})
