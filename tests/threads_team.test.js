// The calls that a team of threads shares, with a kernel and a mailbox made for the test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ARGUMENTS, ASLEEP, CALL, DONE, FAILED, INTS, KERNEL, LAST, MAILBOX_BYTES, PARTS, UNCLAIMED, WORKSPACE, WORKSPACES,
  WORKSPACE_BYTES
} from '../src/js/threads/mailbox.js'
import { Team } from '../src/js/threads/team.js'

/** A shared memory with the mailbox that a team will allocate. */
function createMailbox() {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }), address = 64
  return { memory, address, box: new Int32Array(memory.buffer, address, 16) }
}

test('a sleeping worker is woken for several small calls or a large one', () => {
  const { memory, box, address } = createMailbox()
  const team = new Team({ gf_alloc: () => address, gf_free() {} }, memory, [], 1)
  const isSplit = work => team.isWorthSplitting(work, 10)
  assert.equal(isSplit(1000), false, 'there is nobody')
  team.workers = 1
  assert.deepEqual([9, 10, 11].map(isSplit), [false, true, true])
  box[ASLEEP] = 1
  assert.deepEqual([9, 12, 12, 12, 12, 12, 45, 12].map(isSplit), [false, false, false, false, true, false, true, false])
})

test('without memory for workspaces the calling thread computes alone', () => {
  const c = { gf_alloc: bytes => (bytes > 1e6 ? 0 : 64), gf_free() {} }
  const team = new Team(c, new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }), ['gf_matmul_part'], 1)
  assert.equal(team.run('gf_matmul_part', [[0], [1]], 0, 1e6), false)
})

/** A worker that takes a part and is never heard of again. */
test('a worker that does not respond is reported, and one thread continues alone', () => {
  const { memory, box, address } = createMailbox()
  const steal = () => { if (box[UNCLAIMED] > 0) Atomics.sub(box, UNCLAIMED, 1) }
  const reasons = [], lose = reason => reasons.push(reason)
  const team = new Team({ gf_alloc: () => address, gf_free() {}, steal }, memory, ['steal'], 1, lose)
  team.workers = 1
  team.patience = 50
  assert.throws(() => team.run('steal', [[1], [2], [3]]), { code: 'state', message: /^steal: a worker has not responded/ })
  assert.equal(team.workers, 0)
  assert.equal(box[CALL], 1)
  assert.deepEqual(reasons, ['a worker has not responded for 0.05 seconds'])
})

test('sleep of the machine does not count as waiting', t => {
  const { memory, box, address } = createMailbox()
  const steal = () => { if (box[UNCLAIMED] > 0) Atomics.sub(box, UNCLAIMED, 1) }
  const team = new Team({ gf_alloc: () => address, gf_free() {}, steal }, memory, ['steal'], 1)
  team.workers = 1
  // The worker finishes at the fourth look; the lid was closed between the second and the third.
  const times = [0, 0, 3_600_000, 3_600_100]
  let looks = 0
  t.mock.method(performance, 'now', () => {
    if (looks === 3) Atomics.store(box, DONE, 3)
    return times[Math.min(looks++, 3)]
  })
  assert.equal(team.run('steal', [[1], [2], [3]]), true)
  assert.equal(team.workers, 1)
})

test("the mailbox has the call's arguments, and workspaces are allocated once", () => {
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true })
  const allocated = [], freed = [], calls = []
  const c = {
    gf_alloc: bytes => (allocated.push(bytes), allocated.length === 1 ? 61 : 65536 + 8 * allocated.length),
    gf_free: address => freed.push(address),
    part: (...words) => calls.push([words, fields.map(at => box[at])])
  }
  const fields = [KERNEL, ARGUMENTS, WORKSPACE, WORKSPACES, WORKSPACE_BYTES, PARTS, FAILED, LAST]
  const team = new Team(c, memory, ['other', 'part'], 3), box = new Int32Array(memory.buffer, 64, INTS)
  assert.deepEqual([team.mailbox, allocated], [64, [MAILBOX_BYTES + 8]])
  const run = (parts, ...room) => {
    calls.length = 0
    assert.equal(team.run('part', parts, ...room), true)
    return calls.map(([words]) => words)
  }
  const parts = [[1, 2.5, 3], [4, 5, 6.5], [7, 8, 9]]
  assert.deepEqual(run(parts, 2, 10.5), parts)
  assert.deepEqual(calls[0][1], [1, 3, 2, 65536 + 16, 44, 3, 0, 3])
  const values = new Float64Array(memory.buffer, 64 + 4 * INTS, 9)
  assert.deepEqual([...values], parts.flat())
  assert.deepEqual([box[CALL], box[DONE], allocated[1]], [1, 3, 3 * 44])
  assert.deepEqual(run([[3], [4]], 0, 11), [[3], [4]])
  assert.deepEqual([calls[1][1], allocated.length], [[1, 1, 0, 65536 + 16, 44, 2, 0, 2], 2], 'there is room enough')
  assert.deepEqual(run([[5]], 0, 12), [[5]])
  assert.deepEqual([allocated[2], freed], [3 * 48, [0, 65536 + 16]])
  assert.deepEqual(run([[6, 7]]), [[6, 7]])
  assert.deepEqual(calls[0][1], [1, 2, -1, 65536 + 24, 0, 1, 0, 1])
})

test('a failing part is an error in every thread', () => {
  const { memory, box, address } = createMailbox()
  const c = {
    gf_alloc: () => address, gf_free() {},
    there() { box[FAILED] = 1 },
    here() { throw new RangeError('here') }
  }
  const team = new Team(c, memory, ['there', 'here'], 1)
  assert.throws(() => team.run('there', [[1], [2]]), { code: 'state', message: 'there: a worker could not do its part' })
  assert.throws(() => team.run('here', [[1], [2]]), RangeError)
  assert.equal(box[UNCLAIMED] <= 0 && box[DONE], 2)
})
