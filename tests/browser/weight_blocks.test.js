// The room of a weight in GGUF's blocks: the block under the pointer, and its codes by the keyboard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf } from '../models/gguf_file.js'
import { changeAndWait, findViolations, goToRoom, measureOverflow, useBrowser } from './host.js'

const browser = useBrowser()
const COMPUTATION = /^−?[\d.e−]+ = −?[\d.e−]+ × \((\d+) − 8\)$/

test('a block and its codes are chosen by mouse and keyboard, in both languages', async () => {
  for (const language of ['en', 'ko']) {
    const { page, complaints, close } = await browser.open({ language })
    await page.selectOption('.models select', 'own')
    await page.waitForSelector('.bring[open]')
    const buffer = Buffer.from(fileOf(() => 'Q4_0'))
    await page.setInputFiles('.bring input', [{ name: 'model.gguf', mimeType: 'application/octet-stream', buffer }])
    await page.waitForSelector('.bring .primary:visible')
    // Only large files stay in their blocks by themselves.
    await page.selectOption('[data-field="dtype"]', 'file')
    await changeAndWait(page, () => page.click('.bring .primary'))
    await changeAndWait(page, () => page.fill('[data-field="beginning"]', '3 1 4 1 5'))
    await goToRoom(page, 'weight_blocks')
    await page.waitForSelector('#house[data-room="weight_blocks"]')
    const [rows, codes] = [0, 1].map(i => page.locator('.stage .heat').nth(i))
    const line = page.locator('.stage .figure-body [role=status]')
    const first = await line.textContent()
    await rows.hover({ position: { x: 400, y: 20 } })
    const hovered = await line.textContent()
    assert.match(hovered, COMPUTATION)
    assert.notEqual(hovered, first)
    await codes.focus()
    await page.keyboard.press('ArrowRight')
    const moved = await line.textContent(), [, code] = COMPUTATION.exec(moved)
    assert.notEqual(moved, hovered)
    assert.match(await codes.locator('[role=gridcell]').textContent(), new RegExp(`: ${code}$`))
    assert.deepEqual(await findViolations(page), [])
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(complaints, [])
    await close()
  }
})
