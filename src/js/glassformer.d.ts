/**
 * The types of the package by name. What a program of one's own gives away is of these, so all that can be reached from
 * `await load()` is named here.
 */

import { load as start } from './index.js'

import type { ModuleList } from './nn/containers.js'
import type { Module } from './nn/module.js'

type Whole = Awaited<ReturnType<typeof start>>

export interface Modules extends Omit<Whole['nn'], 'ModuleList'> {
  ModuleList: new <M extends Module = any>(modules?: Iterable<M>) => ModuleList<M>
}
export interface Functional extends Pick<Whole['functional'], keyof Whole['functional']> {}
export interface Text extends Pick<Whole['text'], keyof Whole['text']> {}
export interface DataLoading extends Pick<Whole['data'], keyof Whole['data']> {}
export interface Decoding extends Pick<Whole['decoding'], keyof Whole['decoding']> {}
export interface Interpret extends Pick<Whole['interpret'], keyof Whole['interpret']> {}
export interface Optimizers extends Pick<Whole['optim'], keyof Whole['optim']> {}
export interface Models extends Pick<Whole['models'], keyof Whole['models']> {}

/** What `await load()` gives. */
export interface Glassformer extends Omit<Whole,
  'nn' | 'functional' | 'text' | 'data' | 'decoding' | 'interpret' | 'optim' | 'models'> {
  nn: Modules
  functional: Functional
  text: Text
  data: DataLoading
  decoding: Decoding
  interpret: Interpret
  optim: Optimizers
  models: Models
}

/**
 * Starts glassformer. Every call gives an engine with a memory and a random stream of its own.
 * @param options wasm: where the kernels are, if not beside the package; threads: 1; how many compute, where more can
 */
export function load(options?: Parameters<typeof start>[0]): Promise<Glassformer>

/**
 * torch.nn, torch.nn.functional, torch.optim and torch.utils.data for the top level of a program, where classes are
 * declared before `await load()`. Modules are created after it, in the engine that was loaded last; `gf.nn` is that of one engine.
 */
export const nn: Modules, functional: Functional, optim: Optimizers, data: DataLoading

export { GlassformerError, Tensor } from './index.js'

export type { Node, Operation } from './autograd/autograd.js'
export type { Axes, Axis } from './trace/axes.js'
export type { Bound } from './interface/bind_engine.js'
export type { AblateOptions, AblationMap } from './interpret/ablate.js'
export type { AttributionMap, AttributionPatchOptions } from './interpret/attribution_patch.js'
export type { Metric } from './interpret/measure.js'
export type { PatchMap, PatchOptions } from './interpret/patch.js'
export type { Head, PathPatchOptions, PathPatchResult, Receiver, Sender } from './interpret/path_patch.js'
export type { SteeringOptions } from './interpret/steering.js'
export type { Positions, Site, Targets } from './interpret/targets.js'
export type { MakeOptions } from './tensor/creation.js'
export type { Dataset, SampleSource, Subset, TensorDataset } from './data/dataset.js'
export type { DataLoader, LoaderOptions } from './data/loader.js'
export type { LoadedValues } from './files/checkpoint.js'
export type { Branch } from './decoding/beam.js'
export type { Candidates, RandomStream, SamplingOptions } from './decoding/choose.js'
export type {
  Decodable, GenerateOptions, GenerateResult, Generation, ModelFacts, Next, Prompt, ResultsFor
} from './decoding/generate.js'
export type { DType, Data } from './tensor/dtype.js'
export type { Edit, EditIndex, TensorSource } from './trace/edits.js'
export type { Engine } from './engine/engine.js'
export type { Explanation, Factor, Term } from './trace/explain.js'
export type { AttributionPart, LogitAttribution } from './interpret/logit_attribution.js'
export type { InputAttribution } from './interpret/input_attribution.js'
export type { LogitLens } from './interpret/logit_lens.js'
export type { TargetOptions } from './interpret/target.js'
export type { Inputs } from './export/inputs.js'
export type { Context, CustomFunction } from './autograd/function.js'
export type { Generator } from './tensor/generator.js'
export type { Kernels } from './engine/kernels.js'
export type { Memory } from './engine/memory.js'
export type { OtherMethods, Reductions, TensorMethods } from './tensor/methods.js'
export type { Encoder as Bert } from './models/encoder.js'
export type { Causal } from './models/causal.js'
export type { Config } from './models/config.js'
export type { GPT2 } from './models/gpt2.js'
export type { AnyModel, Files, Inspection, Opened } from './models/index.js'
export type { Decoder, Decoder as Llama } from './models/decoder.js'
export type { BartModel as Marian } from './models/bart.js'
export type { LanguageModel } from './models/model.js'
export type { Seq2Seq } from './models/seq2seq.js'
export type { T5 } from './models/t5.js'
export type { GELU, ReLU, SiLU, Sigmoid, Tanh } from './nn/activation.js'
export type { Identity, ModuleDict, ModuleList, NumberedModules, Sequential } from './nn/containers.js'
export type { Dropout } from './nn/dropout.js'
export type { Embedding } from './nn/embedding.js'
export type { Conv1d, Conv2d } from './nn/conv.js'
export type { Flatten, Fold, Unflatten, Unfold } from './nn/functions.js'
export type { ParameterDict, ParameterList } from './nn/parameter_containers.js'
export type { LayerNorm } from './nn/layer_norm.js'
export type { Linear } from './nn/linear.js'
export type { BackwardHook } from './nn/backward_hooks.js'
export type { ConvModuleOptions } from './nn/conv.js'
export type { ForwardHook, ForwardPreHook } from './nn/forward.js'
export type { Module } from './nn/module.js'
export type { MultiheadAttention } from './nn/multihead_attention.js'
export type { Parameter } from './nn/parameter.js'
export type { LearnedPositionalEncoding, PositionalEncoding } from './nn/positional_encoding.js'
export type { StoredType } from './nn/quantize.js'
export type { RMSNorm } from './nn/rms_norm.js'
export type {
  DecoderMasks, LayerOptions, Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,
  TransformerEncoderLayer, TransformerOptions, TransformerSizes
} from './nn/transformer.js'
export type { Called, Described, Pass, Run, Step } from './trace/observe.js'
export type { ShapeMethods } from './ops/arrange.js'
export type { AttentionOptions } from './ops/attention.js'
export type { Cache } from './ops/attention_cache.js'
export type { Reduction } from './ops/losses.js'
export type { Sorted } from './ops/sort.js'
export type { ConvOptions, Sizes, WindowOptions } from './ops/windows.js'
export type { AdditiveMask } from './ops/mask.js'
export type { Reduce, ReduceOptions } from './ops/reduce.js'
export type { Adam, AdamOptions, AdamW } from './optim/adam.js'
export type {
  CosineAnnealingLR, ExponentialLR, LambdaLR, LinearLR, MultiStepLR, OneCycleLR, ReduceLROnPlateau, SequentialLR, StepLR
} from './optim/lr_schedulers.js'
export type { Scheduler } from './optim/lr_scheduler.js'
export type { Optimizer, OptimizerState, ParamGroup, Params } from './optim/optimizer.js'
export type { SGD, SGDOptions } from './optim/sgd.js'
export type { Loaded, LoadedFrom } from './files/safetensors.js'
export type { NestedArray, NestedArrays } from './tensor/tensor.js'
export type { Storage } from './tensor/storage.js'
export type { Encoding, Merge, Tokenizer } from './text/tokenizer.js'
export type { BPEOptions, WordPieceOptions } from './text/train_merges.js'
export type { TrainOptions } from './text/training.js'
export type { Vocab, VocabOptions } from './text/vocab.js'
export type { Threads } from './threads/index.js'
export type { KernelOptions, ThreadOptions } from './threads/load.js'
export type { Trace } from './trace/trace.js'
export type { Call } from './trace/trace_calls.js'
