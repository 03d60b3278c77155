/**
 * What is called for its forward, with its inputs and what it gives: the types of callable.js, where JSDoc has no way to
 * say that a class's objects can be called.
 */
export class Callable {
  forward(...inputs: any[]): any
}
export interface Callable {
  (...inputs: Parameters<this['forward']>): ReturnType<this['forward']>
}

export function callable(prototype: object): any
