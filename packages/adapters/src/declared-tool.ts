import type { JsonObject, ToolDefinition } from "@hostside/core";

/** A tool as one model API takes it. */
export interface DeclaredTool {
  /** Legal for the API, and unique among the tools that are declared with it. */
  readonly name: string;
  readonly description: string;
  /** The input schema in what the API takes of JSON Schema. */
  readonly inputSchema: JsonObject;
  /** Whether the API may enforce the schema (strict mode). */
  readonly strict: boolean;
  readonly definition: ToolDefinition;
  /** What was changed of the schema, in words; empty where it is the server's own. */
  readonly changes: readonly string[];
  /**
   * The arguments that the model gave for the adapted schema, as the tool takes them. Gives
   * anything that is no object back as it is.
   */
  restore(args: unknown): unknown;
}

/** A tool that an API would refuse, with the whole request. It is not declared. */
export interface LeftOutTool {
  readonly definition: ToolDefinition;
  readonly reason: string;
}

/** The tools of one request to a model API. */
export interface Declaration {
  /** In the order of the source. */
  readonly tools: readonly DeclaredTool[];
  readonly leftOut: readonly LeftOutTool[];
  /** By the name that was declared; `undefined` for one that was not. */
  find(name: string): DeclaredTool | undefined;
}
