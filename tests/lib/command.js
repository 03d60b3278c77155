// Calls the command again and again in one process, which starts once: its lists of arguments come as JSON on standard
// input, what each call printed and its exit code go out as JSON.
import { text } from 'node:stream/consumers'

const [, , file] = process.argv
const calls = JSON.parse(await text(process.stdin))
const { stdout, stderr } = process, write = stdout.write.bind(stdout), answers = []
stdout.setMaxListeners(0)
for (const [i, args] of calls.entries()) {
  const answer = { stdout: '', stderr: '', status: 0 }
  stdout.write = piece => Boolean(answer.stdout += piece)
  stderr.write = piece => Boolean(answer.stderr += piece)
  process.argv = [process.argv[0], file, ...args]
  process.exitCode = 0
  await import(`${file}?${i}`)
  answers.push({ ...answer, status: process.exitCode })
}
process.exitCode = 0
write(JSON.stringify(answers))
