/** The model that `glassformer serve` has beside the page: a list of its files, and the files. */

/** @param {string} address */
async function fetchFile(address) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return response
}

/** @param {string} folder @returns {Promise<File[]>} */
export async function fetchServedModel(folder) {
  /** @type {string[]} */ const names = await (await fetchFile(folder)).json()
  return Promise.all(names.map(async name => (
    new File([await (await fetchFile(folder + encodeURIComponent(name))).blob()], name))))
}
