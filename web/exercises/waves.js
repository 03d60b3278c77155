/** The share of the variance of each Fourier component of a table around a clock. */

import { waveShares } from '../../src/training/clock_waves.js'

/**
 * A table whose columns are waves around a clock of N hours, and some noise.
 * @param {import('../types.d.ts').Library} gf @param {number} N @param {number} k
 * @param {import('../types.d.ts').LibraryTensor} noise [N, 2]
 */
function tableOfWave(gf, N, k, noise) {
  const angles = gf.arange(N).mul(2 * Math.PI * k / N)
  return gf.stack([angles.cos(), angles.sin().mul(2)], 1).add(noise.mul(0.1))
}

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'waveShares',
  formula: 's_k = frac{2}{N} · frac{|sum_n cos(2 π k n / N) e_n|^2 + |sum_n sin(2 π k n / N) e_n|^2}{sum_n |e_n|^2}',
  names: ['table.mean(0)', 'gf.arange(N).mul(2 * Math.PI * k / N)', 'angles.cos().matmul(rows)', 'x.square().sum().item()'],
  starter: `// $signature
function waveShares(table) {
  const N = table.shape[0], rows = table, shares = []
  for (let k = 1; k <= (N - 1) / 2; k++) {
    // $task
    shares.push(0)
  }
  return shares
}`,
  solution: `// $signature
function waveShares(table) {
  const N = table.shape[0], rows = table.sub(table.mean(0)), shares = []
  for (let k = 1; k <= (N - 1) / 2; k++) {
    // $task
    const angles = gf.arange(N).mul(2 * Math.PI * k / N)
    const cosines = angles.cos().matmul(rows).square().sum().item()
    const sines = angles.sin().matmul(rows).square().sum().item()
    shares.push(2 / N * (cosines + sines) / rows.square().sum().item())
  }
  return shares
}`,
  torch: {
    starter: `# $signature
def wave_shares(table):
    N, rows, shares = table.shape[0], table, []
    for k in range(1, (N - 1) // 2 + 1):
        # $task
        shares.append(0.0)
    return shares`,
    solution: `# $signature
def wave_shares(table):
    N, rows, shares = table.shape[0], table - table.mean(0), []
    for k in range(1, (N - 1) // 2 + 1):
        # $task
        angles = torch.arange(N) * (2 * math.pi * k / N)
        cosines = (angles.cos() @ rows).square().sum().item()
        sines = (angles.sin() @ rows).square().sum().item()
        shares.append(2 / N * (cosines + sines) / rows.square().sum().item())
    return shares`
  },
  tolerance: 1e-4,
  cases: ({ gf, random }) => ({
    random: [random(7, 4).add(1)],
    wave: [tableOfWave(gf, 9, 4, random(9, 2))],
    clock: [random(31, 6)]
  }),
  expected: (_, table) => waveShares(table.toArray()),
  mistakes: {
    noMean: ['table.sub(table.mean(0))', 'table'],
    onlyCosines: ['(cosines + sines)', 'cosines'],
    noFactor: ['2 / N * (', '1 / N * ('],
    notDivided: [' / rows.square().sum().item()', ''],
    meanOfAll: ['table.mean(0)', 'table.mean()']
  }
}
