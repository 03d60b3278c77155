/** Recomputes a run away from the page. Loaded only when a reader asks for it. */

import { answerCall } from '../lib/rpc.js'
import { recompute } from './recompute.js'

self.onmessage = ({ data }) => answerCall((_, { run }) => recompute(run), data)
