/** A training in the theatre, as tests drive it. */

export const stepIn = page => page.evaluate(() => Number(document.querySelector('.theatre').dataset.step))
export const until = (page, step) => page.waitForFunction(
  least => Number(document.querySelector('.theatre')?.dataset.step ?? -1) >= least, step)
export const press = (page, action) => page.click(`.theatre [data-action="${action}"]`)
/** Waits until all that was reported of a step has been drawn. */
export const drawn = (page, step) => page.waitForFunction(wanted => {
  const { dataset } = document.querySelector('.theatre')
  return dataset.drawn === String(wanted) && dataset.step === String(wanted) && dataset.playing === 'no' &&
    !document.querySelector('.theatre :not(details:not([open]) *)[aria-busy="true"]')
}, step)
