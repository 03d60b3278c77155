/** One-hot vectors times a table: the embedding of tokens. */

import { tensorOf } from './run_values.js'

const TABLE = 'source_embedding.weight', IDS = 'streams.source'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'embed',
  formula: 'X = "onehot"("ids") E',
  names: ["gf.tensor(ids, { dtype: 'int32' })", 'gf.oneHot(x, { numClasses: V })', "x.to('float32')", 'x.matmul(table)', 'table.shape[0]'],
  starter: `// $signature
function embed(ids, table) {
  return table
}`,
  solution: `// $signature
function embed(ids, table) {
  const x = gf.oneHot(gf.tensor(ids, { dtype: 'int32' }), { numClasses: table.shape[0] })
  return x.to('float32').matmul(table)
}`,
  torch: {
    starter: `# $signature
def embed(ids, table):
    return table`,
    solution: `# $signature
def embed(ids, table):
    x = F.one_hot(torch.tensor(ids), table.shape[0])
    return x.float() @ table`
  },
  tolerance: 1e-6,
  values: [TABLE, IDS],
  cases: ({ gf, values, random }) => ({
    sentence: values && [Array.from(values[IDS].data), tensorOf(gf, values, TABLE)],
    random: [[2, 0, 4, 2], random(5, 3)],
    one: [[6], random(7, 2)]
  }),
  expected: (gf, ids, table) => gf.functional.embedding(ids, table),
  mistakes: {
    oneHot: ['.matmul(table)', ''],
    bag: ['.matmul(table)', '.matmul(table).sum(0, { keepdim: true }).expand(ids.length, table.shape[1])'],
    firstRows: `function embed(ids, table) {
  return table.slice(0, 0, ids.length)
}`
  }
}
