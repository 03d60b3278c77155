/**
 * What the library needs of the platform's objects. Their own types are those of a browser or of Node; a program may be
 * checked without either.
 */

/** Of an AbortSignal. */
export interface Signal {
  readonly aborted: boolean
  readonly reason?: any
  throwIfAborted(): void
}

/** Of a Blob or File: bytes that are read when they are asked for. */
export interface Lazy {
  readonly size: number
  slice(start?: number, end?: number): Lazy
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Of a URL. */
export interface Address {
  readonly href: string
}

/** Of a Response. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly url: string
  arrayBuffer(): Promise<ArrayBuffer>
}

export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : never

/** What a module of WebAssembly gives: functions and a memory, by name. */
export type Exports = Record<string, any>
