/**
 * The script from which the workers of the elements start. It is apart from their code, which other scripts import:
 * WebKit does not count a worker's own script among its modules, so that they would get the code a second time.
 */

import { answerMessages } from './worker.js'

answerMessages()
