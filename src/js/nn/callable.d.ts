/** What is called for its forward, with its inputs and what it gives. */
export class Callable {
  forward(...inputs: any[]): any
}
export interface Callable {
  (...inputs: Parameters<this['forward']>): ReturnType<this['forward']>
}

export function callable(prototype: object): any
