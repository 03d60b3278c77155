/** The texts of the training page. */

import words from './ko.json' with { type: 'json' }

export { words }
