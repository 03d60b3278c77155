/** The guides, `web/docs/*.md`, as pages of the site: Markdown rendered by marked, one navigation for all. */

import { readFile } from 'node:fs/promises'
import { marked } from 'marked'

/** In the order of the navigation, by file name. */
export const GUIDES = [
  'getting-started', 'page-guide', 'teaching', 'teaching-ko', 'command-line', 'models', 'training', 'interpretability', 'export',
  'elements', 'pytorch', 'accuracy', 'performance', 'architecture', 'languages', 'limits'
]

/**
 * Titles of English guides, and of the reference, in the navigation of a Korean guide.
 * @type {Record<string, string>}
 */
const KOREAN_TITLES = {
  'getting-started': '라이브러리 시작하기', 'page-guide': '페이지 안내서', 'teaching': '수업 안내서', 'command-line': '명령줄',
  'models': '모델과 토크나이저', 'training': '학습', 'interpretability': '모델 안을 들여다보기', 'export': '내보내기와 분산 학습',
  'elements': '내 페이지에 그림 넣기', 'pytorch': 'PyTorch에서 옮겨 오기', 'accuracy': '정확도', 'performance': '속도',
  'architecture': '코드 구조', 'languages': '언어 더하기', 'limits': '알려진 한계와 계획', 'reference': 'API 문서'
}

const PAGE_WORDS = {
  en: { skip: 'To the text', documents: 'documents' },
  ko: { skip: '본문으로', documents: '문서' }
}
/** The language of a guide. @param {string} name @returns {keyof typeof PAGE_WORDS} */
const languageOf = name => (name.endsWith('-ko') ? 'ko' : 'en')

/** @param {string} name */
const sourceOf = name => readFile(new URL(`${name}.md`, import.meta.url), 'utf8')

/** @param {string} markdown */
const titleOf = markdown => /^# (.*)$/m.exec(markdown)?.[1] ?? ''

/** The anchor of a heading, as code hosts make it. @param {string} text */
const slug = text => text.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, '').trim().replace(/\s+/g, '-')

/** @param {string} html */
const withoutTags = html => html.replace(/<[^>]*>/g, '')

/**
 * Headings get anchors, and wide tables scroll by themselves; links lead to pages of the site, or become plain text.
 */
marked.use({
  renderer: {
    // Comments mark what a test writes.
    html: ({ text }) => text.replace(/<!--[^]*?-->/g, ''),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slug(withoutTags(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      if (/^(https?:|#)/.test(href)) return `<a href="${href}">${text}</a>`
      return /^[\w-]+\.md(#|$)/.test(href) ? `<a href="${href.replace('.md', '.html')}">${text}</a>` : text
    }
  }
})

/** @param {string} html */
const scrollable = html => html.replace(/<table>[^]*?<\/table>/g, table => `<div class="wide" tabindex="0">${table}</div>`)
  .replaceAll('<pre>', '<pre tabindex="0">')

/**
 * Links to all guides, for a page in the site's folder or, with '../', in a subfolder.
 * @param {string} root @param {string} [current] the guide that is shown
 */
export async function guideLinks(root, current = '') {
  /** @param {string} name @param {string} path @param {string} title */
  const link = (name, path, title) => {
    const here = name === current ? ' aria-current="page"' : '', language = languageOf(name)
    return languageOf(current) === 'ko' && language === 'en'
      ? `<li lang="ko"><a href="${root}${path}" hreflang="en">${KOREAN_TITLES[name]}(영어)</a></li>`
      : `<li lang="${language}"><a href="${root}${path}"${here}>${title}</a></li>`
  }
  const links = await Promise.all(GUIDES.map(async name => link(name, `docs/${name}.html`, titleOf(await sourceOf(name)))))
  return `<ul class="guides">${links.join('')}${link('reference', 'reference.html', 'Reference')}</ul>`
}

/** @param {string} name of a guide @param {string} shell guide.html, with places for what is made here */
export async function guidePage(name, shell) {
  const markdown = await sourceOf(name), html = scrollable(/** @type {string} */ (marked.parse(markdown)))
  const language = languageOf(name), { skip, documents } = PAGE_WORDS[language]
  return shell.replaceAll('<!-- title -->', () => titleOf(markdown)).replace('<!-- content -->', () => html)
    .replace('<!-- language -->', language).replace('<!-- skip -->', skip).replaceAll('<!-- documents -->', documents)
    .replace('<!-- guides -->', await guideLinks('../', name))
}
