// The guides as pages of the site: titles, links and anchors lead somewhere, tables and code are reached by keyboard.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { GUIDES, guideLinks, guidePage } from '../../web/docs/guides.js'

const docs = new URL('../../web/docs/', import.meta.url), shell = readFileSync(new URL('guide.html', docs), 'utf8')
const pages = new Map(await Promise.all(GUIDES.map(async name => [name, await guidePage(name, shell)])))
const all = (html, pattern) => [...html.matchAll(pattern)].map(([, found]) => found)

test('every Markdown file of web/docs is a guide, and has a page with its title', () => {
  const files = readdirSync(docs).filter(name => name.endsWith('.md')).map(name => name.replace('.md', ''))
  assert.deepEqual([...GUIDES].sort(), files.sort())
  for (const [name, html] of pages) {
    const [title] = all(html, /<h1 id="[^"]+">(.*?)<\/h1>/g)
    assert.ok(title && html.includes(`<title>${title} · glassformer</title>`), name)
    assert.doesNotMatch(html, /<!-- /, name)
    assert.ok(html.includes(`<html lang="${/[가-힣]/.test(title) ? 'ko' : 'en'}">`), name)
  }
})

test('links and pictures of the guides are there', () => {
  for (const [name, html] of pages) {
    for (const target of all(html, /<a href="([^"]+)"/g).filter(href => !/^https?:/.test(href))) {
      const [page, anchor] = target.split('#')
      if (page.startsWith('../docs/') || /^[\w-]+\.html$/.test(page)) {
        const linked = pages.get(page.replace(/^.*\//, '').replace('.html', ''))
        assert.ok(linked, `${name}: ${target}`)
        if (anchor) assert.ok(linked.includes(`id="${anchor}"`), `${name}: ${target}`)
      } else assert.ok(['../', '../reference.html', ''].includes(page), `${name}: ${target}`)
    }
    for (const src of all(html, /<img src="\.\.\/([^"]+)"/g)) assert.ok(existsSync(new URL(`../../web/${src}`, import.meta.url)), src)
  }
})

test('the navigation of a Korean guide has Korean titles, and says which pages are English', async () => {
  const links = await guideLinks('../', 'teaching-ko')
  const items = [...links.matchAll(/<li lang="(\w+)"><a href="[^"]*?([\w-]+)\.html"([^>]*)>(.*?)<\/a><\/li>/g)]
  assert.equal(items.length, GUIDES.length + 1)
  for (const [, language, name, attributes, title] of items) {
    assert.equal(language, 'ko', name)
    assert.match(title.replace('(영어)', ''), /[가-힣]/, name)
    const isEnglish = name !== 'teaching-ko'
    assert.deepEqual([title.endsWith('(영어)'), attributes.includes('hreflang="en"')], [isEnglish, isEnglish], name)
  }
  assert.doesNotMatch(await guideLinks('../', 'teaching'), /영어/)
})

test('the navigation marks where the reader is, and wide parts take the focus', async () => {
  const links = await guideLinks('../', 'models')
  assert.equal(all(links, /(aria-current="page")/g).length, 1)
  for (const [name, html] of pages) {
    assert.equal(all(html, /(<table>)/g).length, all(html, /(<div class="wide" tabindex="0"><table>)/g).length, name)
    assert.doesNotMatch(html, /<pre>/, name)
  }
})
