/** The theatre's words. */

import words from './ko.json' with { type: 'json' }

export { words }
