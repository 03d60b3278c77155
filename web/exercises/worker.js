/** The worker of all code that readers write: cells of notebooks, and exercises. Its file on the page is `cell.js`. */

import { serveCells } from '../notebooks/cell_scope.js'
import { all } from './all.js'
import { checkCode } from './check.js'
import { exportCases } from './export_cases.js'

serveCells((request, tools) => (
  'exported' in request ? { report: exportCases(all[request.exported], tools.gf) } : checkCode(all[request.check], request, tools)))
