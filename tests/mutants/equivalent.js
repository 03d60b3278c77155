// Changes that no test can see, by file, line and what is exchanged, each with its reason.

/** @type {Record<string, string>} */
export const EQUIVALENT = {
}
