/** Controls a training on the training page. */

export const readStep = page => page.evaluate(() => Number(document.querySelector('.theatre').dataset.step))
export const waitForStep = (page, step) => page.waitForFunction(
  minStep => Number(document.querySelector('.theatre')?.dataset.step ?? -1) >= minStep, step)
export const pressAction = (page, action) => page.click(`.theatre [data-action="${action}"]`)
/** Waits until the report of a step has been drawn completely. */
export const waitUntilDrawn = (page, step) => page.waitForFunction(expected => {
  const { dataset } = document.querySelector('.theatre')
  return dataset.drawn === String(expected) && dataset.step === String(expected) && dataset.playing === 'no' &&
    !document.querySelector('.theatre :not(details:not([open]) *)[aria-busy="true"]')
}, step)
