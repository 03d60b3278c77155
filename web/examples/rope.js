// Rotary positions: the score of two tokens depends on how far apart they are, not on where they stand.
import { load } from 'glassformer'

const gf = await load(), { functional: F } = gf
gf.manualSeed(5)
const q = gf.randn([1, 1, 1, 16]), k = gf.randn([1, 1, 1, 16])

/** The score of a query at place m and a key at place n. */
const score = (m, n, layout) => {
  const at = (x, place) => F.rotary(x, { positions: gf.tensor([place], { dtype: 'int32' }), layout })
  return at(q, m).mul(at(k, n)).sum().item()
}

for (const layout of ['half', 'interleaved']) {
  const apart3 = [[3, 0], [10, 7], [103, 100]].map(([m, n]) => score(m, n, layout))
  const spread = Math.max(...apart3) - Math.min(...apart3)
  console.log(`${layout}: three apart ${apart3[0].toFixed(4)}, wherever they stand: ${spread < 1e-4}; ` +
    `five apart ${score(5, 0, layout).toFixed(4)}`)
}
