/** The stages whose figures are matrices only, so that they need no styles of rooms. */
export const PLAIN = ['dropout', 'heads', 'ids', 'linear', 'positions', 'qkv', 'scores', 'sum', 'weights']
