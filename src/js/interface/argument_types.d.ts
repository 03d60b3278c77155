/** The types of calls in PyTorch's order, derived from the table of signatures. */

import type { MakeOptions } from '../tensor/creation.js'
import type { normal, randint, rand, randn } from '../tensor/random.js'
import type { Extremes } from '../ops/extremes.js'
import type { Tensor } from '../tensor/tensor.js'
import { DATA, FUNCTIONS, INIT, METHODS, MODULES, OPTIMIZERS } from './signatures.js'

/** A function that is not async: tidy, noGrad and the like end when it returns. */
export type SyncFunction<T> = (() => T) & (T extends PromiseLike<any> ? 'fn must not be async: await before' : unknown)

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? [First, ...Words<Rest>] : S extends '' ? [] : [S]

/** The options of a signature that have a position, as they are written there. */
type Placed<S extends string> = S extends `| ${infer Rest}` ? BeforeStar<Rest>
  : S extends `${string} | ${infer Rest}` ? BeforeStar<Rest> : []
type BeforeStar<S extends string> = S extends `* ${string}` ? [] : S extends `${infer First} * ${string}` ? Words<First> : Words<S>

type Name<W> = W extends `${string}${'-' | '~'}${infer N}?` ? N : W extends `${infer N}?` ? N : W

/** Values of the options O in the order of their names; each may also be the object with all that follow. */
type InOrder<N extends string[], O> = { [K in keyof N]?: (Name<N[K]> extends keyof O ? O[Name<N[K]>] : boolean | 0) | O | null }

/** A function whose last argument is an object of options, and also takes them by position. */
export type WithOrder<F, S> = S extends string ? Placed<S> extends [] ? F
  : F extends (...args: infer A) => infer R
    ? Required<A> extends [...infer P, infer O] ? F & ((...args: [...P, ...InOrder<Placed<S>, O>, options?: O]) => R) : F
    : F extends new (...args: infer A) => infer T
      ? Required<A> extends [...infer P, infer O] ? F & (new (...args: [...P, ...InOrder<Placed<S>, O>, options?: O]) => T) : F
      : F : F

type Signatures = typeof FUNCTIONS & typeof INIT & typeof OPTIMIZERS & typeof DATA
/** The signatures of tensors' methods. */
export type MethodSignatures = Omit<typeof FUNCTIONS, keyof typeof METHODS> & typeof METHODS

/** Functions whose order in PyTorch is more than that of their options. */
interface Orders {
  zeros(...size: (number | MakeOptions)[]): Tensor
  ones(...size: (number | MakeOptions)[]): Tensor
  empty(...size: (number | MakeOptions)[]): Tensor
  rand(...size: (number | Parameters<typeof rand>[2])[]): Tensor
  randn(...size: (number | Parameters<typeof randn>[2])[]): Tensor
  randint(high: number, size: readonly number[], options?: Parameters<typeof randint>[4]): Tensor
  normal(mean: number, std: number, size: readonly number[], options?: Parameters<typeof normal>[2]): Tensor
  layerNorm(input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | NormOptions | null,
    bias?: Tensor | NormOptions | null, eps?: number): Tensor
  rmsNorm(input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | NormOptions | null, eps?: number): Tensor
}
type NormOptions = { weight?: Tensor | null, bias?: Tensor | null, eps?: number }

type AlongOne = { dim: number, keepdim?: boolean }
type AlongAll = { dim?: readonly number[] | null, keepdim?: boolean }
/** max and min, which give values and indices along one axis. */
interface ExtremeMethod {
  (dim: number | AlongOne, keepdim?: boolean | { keepdim?: boolean }): Extremes
  (dim?: readonly number[] | AlongAll | null, keepdim?: boolean | { keepdim?: boolean }): Tensor
}
interface ExtremeFunction {
  (input: Tensor, dim: number | AlongOne, keepdim?: boolean | { keepdim?: boolean }): Extremes
  (input: Tensor, dim?: readonly number[] | AlongAll | null, keepdim?: boolean | { keepdim?: boolean }): Tensor
}
type Extreme<F> = F extends (input: Tensor, options: any) => any ? Parameters<F> extends [Tensor, ...any] ? ExtremeFunction : ExtremeMethod
  : ExtremeMethod

/** Every function of an object that also takes its options by position. */
export type AllWithOrder<T, S = Signatures> = {
  [K in keyof T]: K extends 'max' | 'min' ? Extreme<T[K]> : (K extends keyof S ? WithOrder<T[K], S[K]> : T[K])
    & (K extends keyof Orders ? Orders[K] : unknown)
}

type Classes = typeof MODULES & typeof DATA

/** The constructor of a module whose options also have positions. */
export type WithConstructorOrder<A extends any[], T, Name> = Name extends keyof Classes
  ? Placed<Classes[Name]> extends [] ? unknown : Required<A> extends [...infer P, infer O]
    ? new (...args: [...P, ...InOrder<Placed<Classes[Name]>, O>, options?: O]) => T : unknown
  : unknown
