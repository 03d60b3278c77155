// Writes the table in src/js/text/unicode_scripts.js: the script of every code point in Unicode 9, as in Hugging Face's
// tokenizers.
//   npm install --prefix build/unicode @unicode/unicode-9.0.0; node tests/golden/unicode_scripts.mjs build/unicode
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = dirname(createRequire(`${resolve(process.argv[2])}/`).resolve('@unicode/unicode-9.0.0/package.json'))
const UNASSIGNED = 'Unknown'

const scripts = new Array(0x110000).fill(UNASSIGNED)
for (const name of readdirSync(`${folder}/Script`)) {
  const { default: codePoints } = await import(pathToFileURL(`${folder}/Script/${name}/code-points.mjs`).href)
  for (const code of codePoints) scripts[code] = ['Hiragana', 'Katakana'].includes(name) ? 'Han' : name
}
scripts[' '.codePointAt()] = UNASSIGNED
scripts['ー'.codePointAt()] = 'Han'

const runs = []
for (const script of scripts) {
  if (runs.at(-1)?.script === script) runs.at(-1).length++
  else runs.push({ script, length: 1 })
}
const counts = {}
for (const { script } of runs) counts[script] = (counts[script] ?? 0) + 1
const names = Object.keys(counts).filter(name => name !== UNASSIGNED).sort((a, b) => counts[b] - counts[a])
// The scripts with most runs get A to Z, the others letters from U+00C0 on.
const letters = new Map(names.map((name, i) => [name, String.fromCharCode(i < 26 ? 65 + i : 0xc0 + i - 26)]))
const table = runs.map(({ script, length }) => (letters.get(script) ?? '-') + (length > 1 ? length.toString(36) : '')).join('')
const lines = table.match(/.{1,110}/gsu).map(line => `  '${line}'`).join(' +\n')

const file = new URL('../../src/js/text/unicode_scripts.js', import.meta.url)
writeFileSync(file, readFileSync(file, 'utf8').replace(/(?<=const TABLE =\n)[^]*?'(?=\n\n)/, lines))
