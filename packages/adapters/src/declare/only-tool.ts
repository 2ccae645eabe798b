import type { DeclaredTool, Declaration } from "../declared-tool.ts";

/**
 * A declaration of one tool, for a framework that calls the very tool that a step was sent with:
 * one that is another by now is refused, and not called by what the model knows of the former one.
 */
export function onlyTool(tool: DeclaredTool): Declaration {
  return { tools: [tool], leftOut: [], find: (name) => (name === tool.name ? tool : undefined) };
}
