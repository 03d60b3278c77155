/** What is used of @huggingface/jinja, whose own declarations do not fit `module: nodenext`. */
type Value = { type: string, value: any, __bool__: () => Value }
export declare class Environment {
  set(name: string, value: unknown): void
}
export declare class Interpreter {
  global: Environment
  constructor(environment: Environment)
  run(program: unknown): Value
  evaluate(node: any, environment: Environment): Value
  evaluateFor(node: any, environment: Environment): Value
  evaluateBinaryExpression(node: any, environment: Environment): Value
  evaluateMemberExpression(node: any, environment: Environment): Value
  evaluateSliceExpression(object: Value, node: any, environment: Environment): Value
  evaluateTestExpression(node: any, environment: Environment): Value
  evaluateCallExpression(node: any, environment: Environment): Value
  applyFilter(operand: Value, filter: any, environment: Environment): Value
}
export declare function tokenize(source: string, options: { lstrip_blocks: boolean, trim_blocks: boolean }): unknown
export declare function parse(tokens: unknown): unknown
