// One case in a process of its own: its memory is fresh, and another case's garbage does not fall into its time.
import { caseNamed } from '../works/index.js'
import { measured } from './measured.js'

const [name, seconds] = process.argv.slice(2)
process.send(await measured(caseNamed(name), Number(seconds)), () => process.exit())
