// A picture that leaves the page says where it is from.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { written } from '../../web/model/dates.js'
import { DEFAULTS } from '../../web/state.js'
import { runHere, useHouse } from './host.js'

const { open } = useHouse()

/** The texts of the last figure's picture. */
async function picture(page) {
  const menu = page.locator('.stage .menu').last()
  await menu.locator('summary').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'), menu.getByRole('button', { name: 'SVG' }).click()
  ])
  const svg = await readFile(await download.path(), 'utf8')
  return [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text)
}

test('room, head and text stand below the title, and what a twin is', async () => {
  const twin = { stage: 'logits', twin: 'positional:false' }
  const there = runHere({ ...DEFAULTS, positional: false })
  const answer = written(there.decoding.steps.map(({ token }) => token))
  there.dispose()
  for (const [state, ...lines] of [
    [{ stage: 'encoder.0.self_attn.scores', head: 2 }, '인코더 1층 · 셀프 어텐션 · 점수 · 헤드 2 · november 20 2026'],
    [{ stage: 'logits', source: '3 may 1999', language: 'en' }, 'Logits · 3 may 1999'],
    [{ stage: 'decoding', decoding: 'sample', temperature: 0.5, edits: [{ name: 'output.bias', index: [3], value: 1 }] },
      '한 글자씩 · november 20 2026 · 온도: 0.5 · 고르는 방법: 뽑기 · 바꾼 숫자 1개'],
    [{ model: 'sentences', stage: 'scores', sentence: 3 }, '점수 · 헤드 0 · 나는 최근 파리 여행을 다녀왔다'],
    [twin, `로짓 · november 20 2026 · 차이(견줌 − 지금) · 견줌 위치 인코딩: 안 더하기 → ${answer}`]
  ]) {
    const { page, complaints, close } = await open(state)
    if (state.twin) await page.waitForSelector('.twin-body .caption')
    const [title, subtitle] = await picture(page)
    assert.deepEqual([title, subtitle], [await page.textContent('h1'), ...lines])
    assert.deepEqual(complaints, [])
    await close()
  }
})
