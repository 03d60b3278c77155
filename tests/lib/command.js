// Calls the command several times in one process, to start only once. Standard input is JSON with the arguments of
// every call, standard output JSON with the output and the exit code of every call.
import { text } from 'node:stream/consumers'

const [, , file] = process.argv
const calls = JSON.parse(await text(process.stdin))
const { stdout, stderr } = process, write = stdout.write.bind(stdout), results = []
stdout.setMaxListeners(0)
for (const [i, args] of calls.entries()) {
  const result = { stdout: '', stderr: '', status: 0 }
  stdout.write = text => Boolean(result.stdout += text)
  stderr.write = text => Boolean(result.stderr += text)
  process.argv = [process.argv[0], file, ...args]
  process.exitCode = 0
  await import(`${file}?${i}`)
  results.push({ ...result, status: process.exitCode })
}
process.exitCode = 0
write(JSON.stringify(results))
