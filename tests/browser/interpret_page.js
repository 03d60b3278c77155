/** Reads the rooms that look inside, and waits until they are filled. */

/** Reads the cells of the visible tables: their text and their location. */
export const readCells = page => page.evaluate(() => [...document.querySelectorAll('.grid td > *')].map(element => {
  const cell = element.parentElement
  const table = [...document.querySelectorAll('.grid')].indexOf(cell.closest('.grid'))
  return [element.textContent, { table, key: cell.parentElement.dataset.key, col: cell.cellIndex - 1,
    part: element.localName }]
}).filter(([text]) => text !== ''))

export const waitForTable = page => page.waitForFunction(() => (
  document.querySelector('.grid td span')?.textContent && !document.querySelector('.stage [aria-busy="true"]')))

export const waitForBars = page => page.waitForFunction(() => (
  document.querySelector('.fall-number')?.textContent && !document.querySelector('.stage [aria-busy="true"]')))

/** Reads the values of each token by the chosen method, and the note below. */
export const readInputs = page => page.evaluate(() => {
  const section = document.querySelector('.stage input[value="occlusion"]').closest('section')
  return {
    rows: [...section.querySelectorAll('.chips-row')].map(row => (
      [...row.querySelectorAll('.chip')].map(chip => [...chip.children].map(({ textContent }) => textContent)))),
    note: [...section.querySelectorAll('.note')].at(-1).textContent
  }
})
