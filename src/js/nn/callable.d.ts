/** The inputs of a function that may have two forms: TypeScript's Parameters knows only the last one. */
export type Inputs<F> = F extends { (...inputs: infer First): any, (...inputs: infer Second): any } ? First | Second
  : F extends (...inputs: infer Own) => any ? Own : never

/** The types of callable.js, since JSDoc cannot express that the objects of a class can be called like its forward. */
export class Callable {
  forward(...inputs: any[]): any
}
export interface Callable {
  (...inputs: Inputs<this['forward']>): ReturnType<this['forward']>
}

export function createCallable(prototype: object): any
