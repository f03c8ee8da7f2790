// The declaration of a tool to a model.

/** JSON Schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly parameters: JsonSchema;
}
