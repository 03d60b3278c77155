import { withSignatures } from '../interface/arguments.js'
import { bindClass } from '../interface/bind_engine.js'
import { addDataHints } from '../interface/name_hints.js'
import { DATA } from '../interface/signatures.js'
import { defaultCollate } from './collate.js'
import { Dataset, Subset, TensorDataset } from './dataset.js'
import { DataLoader } from './loader.js'
import { padSequence } from './pad_sequence.js'
import { randomSplit } from './random_split.js'

addDataHints(Dataset, DataLoader)

/** @param {Parameters<typeof bindData>[0]} engine @param {string} name of what needs it */
const engineFor = (engine, name) => (typeof engine === 'function' ? engine(name) : engine)

/**
 * gf.data for one engine: torch.utils.data.
 * @param {import('../engine/engine.js').Engine | ((name: string) => import('../engine/engine.js').Engine)} engine or a
 *   function that
 *   returns it when it is needed
 */
export const bindData = engine => ({
  DataLoader: bindClass(engine, DataLoader, 'DataLoader', 'gf.data'),
  Dataset: bindClass(engine, Dataset, 'Dataset', 'gf.data'),
  Subset: bindClass(engine, Subset, 'Subset', 'gf.data'),
  TensorDataset: bindClass(engine, TensorDataset, 'TensorDataset', 'gf.data'),
  ...withSignatures({
    /** Joins samples to a batch: torch.utils.data.default_collate. @param {readonly any[]} batch */
    defaultCollate: batch => defaultCollate(engineFor(engine, 'defaultCollate'), batch),
    /**
     * Joins sequences of different lengths to one tensor: torch.nn.utils.rnn.pad_sequence.
     * @param {Parameters<typeof padSequence>[1]} sequences @param {Parameters<typeof padSequence>[2]} [options]
     */
    padSequence: (sequences, options) => padSequence(engineFor(engine, 'padSequence'), sequences, options),
    /**
     * Splits a dataset at random: torch.utils.data.random_split; options: generator.
     * @param {Parameters<typeof randomSplit>[1]} dataset @param {readonly number[]} lengths
     * @param {Parameters<typeof randomSplit>[3]} [options]
     */
    randomSplit: (dataset, lengths, options) => randomSplit(engineFor(engine, 'randomSplit'), dataset, lengths, options)
  }, DATA)
})
