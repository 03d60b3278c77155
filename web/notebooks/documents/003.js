/** Notebook 003: why code has exp and log where the paper has a power. */

/** @type {import('./index.js').Document} */
export default {
  id: '003',
  title: { ko: '거듭제곱을 exp와 log로', en: 'A power as exp and log' },
  source: {
    ko: '제목 없는 짧은 글. 논문과 구현이 왜 다른지 적은 메모예요',
    en: 'a short note without a title, on why the code differs from the paper'
  },
  cells: [
    {
      ko: '길이 256, 차원 512예요. 위치는 0부터 256이 아니라 0부터 255까지예요.',
      en: 'Length 256, width 512. Positions run from 0 to 255, not to 256.',
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
      ko: '두 표기는 같은 수예요. n^(2i/d) = e^(2i · ln n / d). 글은 로그가 정밀도를 지킨다고 했지만, 10000^(2i/d)은 10000을 넘지 않아요. float32에서 두 방식의 각도 오차는 비슷해요.',
      en: 'Both spellings are one number: n^(2i/d) = e^(2i · ln n / d). The post says the logarithm saves precision; but 10000^(2i/d) never exceeds 10000, and in float32 the angles of both are about as far off.',
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
      ko: '글은 로그가 없으면 반복문이 필요하다고 했어요. 그렇지 않아요. 거듭제곱도 브로드캐스팅으로 한 번에 돼요. 위의 byPower가 그랬어요. 걸린 시간은 지금 이 기기에서 재요.',
      en: 'The post says that without the logarithm loops are needed. They are not: the power broadcasts as well, as byPower did above. The times are measured here and now.',
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
