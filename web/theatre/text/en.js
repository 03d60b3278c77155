/** The theatre's words. */

import words from './en.json' with { type: 'json' }

export { words }
