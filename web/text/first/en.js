/** The English words of the top line and the opening, with which the page begins. */

import page from './en.json' with { type: 'json' }
import dates from '../../models/dates/text/en.json' with { type: 'json' }

/** Of the model that the opening runs. */
export const models = { dates }
export { page }
