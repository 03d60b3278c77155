// Measures one case in a separate process, so that no garbage of another case is collected while it is timed.
import { findCase } from '../works/index.js'
import { measureCase } from './measure_case.js'

const [name, seconds] = process.argv.slice(2)
process.send(await measureCase(findCase(name), Number(seconds)), () => process.exit())
