import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { probabilityDomain, contrast, createScale, signedDomain } from '../../web/lib/color.js'

globalThis.matchMedia = () => ({ matches: false, addEventListener() {} })
const { PALETTES } = await import('../../web/shell/theme.js')

const bytes = css => (css.startsWith('#')
  ? [1, 3, 5].map(at => Number.parseInt(css.slice(at, at + 2), 16)) : css.match(/\d+/g).map(Number))

for (const mode of ['light', 'dark']) {
  test(`${mode}: numbers are readable on every color of both scales`, () => {
    for (const domain of [signedDomain(2), probabilityDomain()]) {
      const colors = createScale(domain, mode)
      for (let i = 0; i <= 100; i++) {
        const { css, ink } = colors.at(domain.min + ((domain.max - domain.min) * i) / 100)
        assert.ok(contrast(bytes(css), bytes(ink)) >= 4.5, `${css} under ${ink}`)
      }
    }
  })

  test(`${mode}: zero is paper, the ends differ, values beyond the domain are clamped`, () => {
    const colors = createScale(signedDomain(2), mode)
    assert.equal(colors.at(0).css, `rgb(${bytes(PALETTES[mode].paper).join(' ')})`)
    assert.notEqual(colors.at(-2).css, colors.at(2).css)
    assert.equal(colors.at(9).css, colors.at(2).css)
    assert.equal(createScale(signedDomain(0), mode).at(0).css, colors.at(0).css)
  })

  test(`${mode}: canvas and style sheet use the same colors, with enough contrast for text`, async () => {
    const css = await readFile(new URL('../../web/style/base.css', import.meta.url), 'utf8')
    const at = ['light', 'dark'].indexOf(mode) + 1
    for (const name of ['paper', 'ink', 'muted', 'line', 'accent', 'faint', 'wash']) {
      assert.equal(PALETTES[mode][name], css.match(new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`))[at], name)
    }
    const { paper, wash, ink, muted, accent } = PALETTES[mode]
    for (const ground of [paper, wash]) {
      for (const text of [ink, muted, accent]) {
        assert.ok(contrast(bytes(ground), bytes(text)) >= 4.5, `${text} on ${ground}`)
      }
    }
  })
}
