/** What is used of @huggingface/jinja, whose own declarations do not fit `module: nodenext`. */
export declare class Template {
  constructor(template: string)
  render(variables: Record<string, unknown>): string
}
