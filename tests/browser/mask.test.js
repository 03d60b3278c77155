// A mask drawn by pressing its cells, by mouse and by keys: a real edit, in the link, against the same run in Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddress, changeAndWait, runInNode, completeState, useBrowser } from './host.js'

const { open } = useBrowser()
const ROOM = 'decoder.0.self_attn.mask'
const NAME = 'transformer.decoder.layers.0.self_attn.masked_scores'

/** Presses a cell of the masked scores. */
async function pressCell(page, row, col) {
  const grid = page.locator(`.heat[data-tensor="${NAME}"]`).first()
  const [rows, cols] = await Promise.all(['aria-rowcount', 'aria-colcount'].map(async name => (
    Number(await grid.getAttribute(name)))))
  const { width, height } = await grid.boundingBox()
  await grid.click({ position: { x: (col + 0.5) * width / cols, y: (row + 0.5) * height / rows } })
}
const editsOf = async page => (await readAddress(page)).edits

test('visible cells can be masked and masked ones opened, each can be undone; the numbers are those of Node', async () => {
  const state = completeState({ room: ROOM, language: 'en', target: '2026년 11월' })
  const { page, complaints, close } = await open(state)
  await page.click('.mask-pen .switch')
  await changeAndWait(page, () => pressCell(page, 3, 1))
  await changeAndWait(page, () => pressCell(page, 1, 4))
  const edits = await editsOf(page)
  assert.deepEqual(edits, [{ name: NAME, index: [0, null, 3, 1], value: -Infinity },
    { name: NAME, index: [0, null, 1, 4], from: NAME.replace('masked_', '') }])
  const run = runInNode({ ...state, edits })
  const { data, shape: [, heads, T] } = run.tensors.get(NAME.replace('masked_scores', 'weights'))
  const weight = (head, row, col) => data[(head * T + row) * T + col]
  for (let head = 0; head < heads; head++) {
    assert.equal(weight(head, 3, 1), 0)
    assert.ok(weight(head, 1, 4) > 0)
  }
  await page.evaluate(() => document.querySelectorAll('.numbers').forEach(details => { details.open = true }))
  const tooltip = await page.waitForFunction(name => {
    const table = document.querySelector(`.tables table[data-tensor="${name}"]`)
    return table?.tBodies[0].rows[1] && [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(
      cell => cell.textContent))
  }, NAME).then(handle => handle.jsonValue())
  assert.equal(tooltip[3][1], '−∞')
  assert.notEqual(tooltip[1][4], '−∞')
  await changeAndWait(page, () => pressCell(page, 3, 1))
  await changeAndWait(page, () => pressCell(page, 1, 4))
  assert.deepEqual(await editsOf(page), [])
  await page.click('.mask-pen .switch')
  await pressCell(page, 2, 0)
  assert.match(await page.locator('.cell-name').textContent(), /masked_scores\[0, 0, 2, 0\]/, 'a press looks again')
  assert.deepEqual(complaints, [])
  run.dispose()
  await close()
})

test('masking works with the keyboard alone', async () => {
  const { page, close } = await open({ room: ROOM, language: 'ko' })
  await page.focus('.mask-pen .switch')
  await page.keyboard.press('Space')
  await page.locator(`.heat[data-tensor="${NAME}"]`).first().focus()
  await page.keyboard.press('ArrowDown')
  await changeAndWait(page, () => page.keyboard.press('Enter'))
  assert.equal((await editsOf(page)).length, 1)
  await close()
})
