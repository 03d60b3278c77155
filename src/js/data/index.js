import { withSignatures } from '../arguments.js'
import { bindClass } from '../bind_engine.js'
import { DATA } from '../signatures.js'
import { defaultCollate } from './collate.js'
import { Dataset, Subset, TensorDataset } from './dataset.js'
import { DataLoader } from './loader.js'
import { padSequence } from './pad_sequence.js'
import { randomSplit } from './random_split.js'

/**
 * gf.data for one engine: torch.utils.data.
 * @param {import('../engine.js').Engine} engine
 */
export const bindData = engine => ({
  DataLoader: bindClass(engine, DataLoader, 'DataLoader', 'gf.data'),
  Dataset: bindClass(engine, Dataset, 'Dataset', 'gf.data'),
  Subset: bindClass(engine, Subset, 'Subset', 'gf.data'),
  TensorDataset: bindClass(engine, TensorDataset, 'TensorDataset', 'gf.data'),
  ...withSignatures({
    /** Joins samples to a batch: torch.utils.data.default_collate. @param {readonly any[]} batch */
    defaultCollate: batch => defaultCollate(engine, batch),
    /**
     * Joins sequences of different lengths to one tensor: torch.nn.utils.rnn.pad_sequence.
     * @param {Parameters<typeof padSequence>[1]} sequences @param {Parameters<typeof padSequence>[2]} [options]
     */
    padSequence: (sequences, options) => padSequence(engine, sequences, options),
    /**
     * Splits a dataset at random: torch.utils.data.random_split; options: generator.
     * @param {Parameters<typeof randomSplit>[1]} dataset @param {readonly number[]} lengths
     * @param {Parameters<typeof randomSplit>[3]} [options]
     */
    randomSplit: (dataset, lengths, options) => randomSplit(engine, dataset, lengths, options)
  }, DATA)
})
