/** The types of callable.js, since JSDoc cannot express that the objects of a class can be called like its forward. */
export class Callable {
  forward(...inputs: any[]): any
}
export interface Callable {
  (...inputs: Parameters<this['forward']>): ReturnType<this['forward']>
}

export function createCallable(prototype: object): any
