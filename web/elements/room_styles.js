/** The styles of rooms whose figures are more than matrices: they are fetched with the first of them. */

import house from '../style/house.css'
import tables from '../style/model_tables.css'
import tokens from '../style/tokens.css'
import translator from '../style/translator.css'
import lab from '../style/lab.css'
import inspector from '../style/inspector.css'

export const ROOM_STYLES = [house, tables, tokens, translator, lab, inspector]
