// What the release checks before it builds anything, in a repository made for the test.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'))
const run = (command, args) => spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
const git = (...args) => run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
const check = () => {
  const { status, stderr } = run('bash', ['build.sh', 'check_version'])
  return [status, stderr]
}
const write = (name, text) => {
  writeFileSync(join(folder, name), text)
  git('add', '-A')
  git('commit', '-qm', 'change')
}

before(() => {
  git('init', '-q')
  cpSync(join(ROOT, 'build.sh'), join(folder, 'build.sh'))
  write('package.json', '{ "version": "1.2.3" }')
})
after(() => rmSync(folder, { recursive: true }))

test('a version needs a section of the changelog, a clean copy and a new tag', () => {
  for (const text of ['## 1.2.30\n', '## 1.2.3-beta\n', '## 1x2.3\n', '### 1.2.3\n']) {
    write('CHANGELOG.md', text)
    assert.deepEqual(check(), [1, 'release: CHANGELOG.md has no section of version 1.2.3\n'], text)
  }
  for (const text of ['## [1.2.3] - 2026-01-02\n', '## 1.2.3\n']) {
    write('CHANGELOG.md', text)
    assert.deepEqual(check(), [0, ''], text)
  }
  writeFileSync(join(folder, 'new.txt'), '')
  assert.deepEqual(check(), [1, 'release: there are changes that are not committed\n'])
  write('new.txt', 'a')
  git('tag', 'v1.2.3')
  assert.deepEqual(check(), [1, 'release: there is a tag v1.2.3 already\n'])
})

test('a misspelled option publishes nothing', () => {
  const { status, stderr } = run('bash', ['build.sh', 'release', '--dryrun'])
  assert.deepEqual([status, stderr], [2, "release takes only --dry-run, got '--dryrun'\n"])
})

test("the changelog has a section of this package's version, which the notebook widget shares", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.ok(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split('\n').some(line => line.startsWith(`## ${version}`)))
  assert.ok(readFileSync(join(ROOT, 'web/widget/pyproject.toml'), 'utf8').includes(`\nversion = "${version}"\n`))
})
