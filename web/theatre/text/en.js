/** The texts of the training page. */

import words from './en.json' with { type: 'json' }

export { words }
