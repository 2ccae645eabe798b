import { assertNames } from "@toolport/core/implement";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";

/** The part of an adapter's options that says what a product declares beside the tools of the source. */
export interface OwnFunctionsOptions {
  /**
   * Names of functions that the product declares and answers itself: calls of them are left to it, and no tool of the source is declared
   * by such a name. Default none: a call of a name that nobody knows is answered, because an API refuses a conversation with a call that
   * has no answer. Static tools of a toolbox need not be here; they are answered like all others.
   */
  readonly ownFunctions?: readonly string[] | undefined;
}

/** The names as a set. Throws a `TypeError` unless they are an array of strings. */
export function readOwnFunctions(names: readonly string[] = []): ReadonlySet<string> {
  assertNames("ownFunctions", names);
  return new Set(names);
}

/** What of a declaration is declared beside the functions of the product. */
export interface DeclaredBeside {
  readonly tools: readonly DeclaredTool[];
  readonly leftOut: readonly LeftOutTool[];
}

/** The tools of a declaration without those that have the name of a function of the product. */
export function besideOwnFunctions({ tools, leftOut }: Declaration, own: ReadonlySet<string>): DeclaredBeside {
  const clashes = tools.filter(({ name }) => own.has(name));
  if (clashes.length === 0) return { tools, leftOut };
  const reason = "the product declares a function of this name itself";
  return {
    tools: tools.filter(({ name }) => !own.has(name)),
    leftOut: [...leftOut, ...clashes.map(({ definition }) => ({ definition, reason }))],
  };
}
