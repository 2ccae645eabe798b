import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";

/** What of a declaration is declared beside the functions of the product. */
export interface DeclaredFunctions {
  readonly tools: readonly DeclaredTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** The tools of a declaration without those that have the name of a function of the product. */
export function besideOwn({ tools, leftOut }: Declaration, own: ReadonlySet<string>): DeclaredFunctions {
  const clashes = tools.filter(({ name }) => own.has(name));
  if (clashes.length === 0) return { tools, leftOut };
  const reason = "the product declares a function of this name itself";
  return {
    tools: tools.filter(({ name }) => !own.has(name)),
    leftOut: [...leftOut, ...clashes.map(({ definition }) => ({ definition, reason }))],
  };
}
