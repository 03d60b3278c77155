/** The labels of tokens along a matrix: one that occurs more than once carries its position. */
export const withPositions = tokens => tokens.map((token, i) => (
  tokens.indexOf(token) === tokens.lastIndexOf(token) ? token : `${token} (${i})`))
