/**
 * What a change means to those who use a server: `breaking`, calls or prompts that worked may not
 * work any more; `security`, what a model is told or a person has approved is another thing now;
 * `compatible`, neither.
 */
export type ChangeKind = "breaking" | "security" | "compatible";

/** One difference between two locks. */
export interface ToolChange {
  readonly kind: ChangeKind;
  /** The tool; absent when it is about the server. */
  readonly tool?: string;
  /** Where in the definition, such as `inputSchema.properties.path`. */
  readonly path: string;
  /** What happened, as a clause. */
  readonly what: string;
}
