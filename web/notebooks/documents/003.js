/** Notebook 003: why code has exp and log where the paper has a power. */

/** @type {import('./index.js').Document} */
export default {
  id: '003',
  cells: [
    {
      js: `const encoding = gf.positionalEncoding(256, 512, { method: 'log-float32' })
const position = gf.arange(256).to('float32').reshape(256, 1)
print([encoding.shape, position.shape, encoding.unsqueeze(0).shape])
print(position.max())`,
      py: `import math, time
import torch

position = torch.arange(0, 256).float().unsqueeze(1)
rates = torch.exp(torch.arange(0, 512, 2) * -(math.log(10000.0) / 512))
encoding = torch.zeros(256, 512)
encoding[:, 0::2], encoding[:, 1::2] = torch.sin(position * rates), torch.cos(position * rates)
print([list(one.shape) for one in (encoding, position, encoding.unsqueeze(0))])
print(position.max())`,
      prints: ['003.shapes']
    },
    {
      js: `const twice = gf.arange(0, 512, 2, { dtype: 'float32' })
const byLog = position.mul(twice.mul(-Math.log(10000) / 512).exp())
const byPower = position.div(gf.full([256], 10000).pow(twice.div(512)))
print(byLog.sub(byPower).abs().max())
const direct = gf.positionalEncoding(256, 512, { method: 'direct' })
print(encoding.sub(direct).abs().max())`,
      py: `twice = torch.arange(0, 512, 2).float()
by_log = position * torch.exp(twice * (-math.log(10000) / 512))
by_power = position / 10000 ** (twice / 512)
print((by_log - by_power).abs().max())
exact = position.double() / 10000 ** (twice.double() / 512)
direct = torch.stack([torch.sin(exact), torch.cos(exact)], dim=2).reshape(256, 512)
print((encoding - direct.float()).abs().max())`,
      prints: [], room: 'two_spellings',
      carries: { base: [1, /Math\.log\((\d+)\)/] }
    },
    {
      js: `const times = 20
const measure = make => {
  const start = performance.now()
  for (let n = 0; n < times; n++) make()
  return \`\${((performance.now() - start) / times).toFixed(2)} ms\`
}
print(measure(() => position.mul(twice.mul(-Math.log(10000) / 512).exp())))
print(measure(() => position.div(gf.full([256], 10000).pow(twice.div(512)))))`,
      py: `def measure(make, times=20):
    start = time.perf_counter()
    for _ in range(times):
        make()
    return f'{(time.perf_counter() - start) / times * 1000:.2f} ms'

print(measure(lambda: position * torch.exp(twice * (-math.log(10000) / 512))))
print(measure(lambda: position / 10000 ** (twice / 512)))`,
      prints: [], room: 'two_spellings',
      carries: { base: [2, /Math\.log\((\d+)\)/] }
    }
  ]
}
