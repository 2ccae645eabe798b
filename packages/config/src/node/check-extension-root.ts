import { isAbsolute, resolve } from "node:path";
import type { ServerSpec } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { ExpandContext } from "../expand/expand-context.ts";
import type { ConfiguredServer } from "../configured-server.ts";
import type { ConfigProblem } from "../problem/config-problem.ts";
import { serverProblem } from "../problem/spec-fault.ts";
import { isInside } from "../read/is-inside.ts";
import { isWithin, realPathOf } from "./real-path.ts";

/** What a command of an extension is held to. */
export interface ExtensionCheck {
  readonly server: ConfiguredServer;
  readonly context: ExpandContext;
  /** Whether a command outside is an error; else it is a warning. */
  readonly strict: boolean;
}

/**
 * Whether the command of an extension's server is within the extension, now that all is put into it
 * and links are followed. What can be seen without that was said when the file was read.
 * `undefined`: it is, or it is not of an extension.
 */
export async function checkExtensionRoot(
  spec: ServerSpec | undefined,
  { server, context, strict }: ExtensionCheck,
): Promise<ConfigProblem | undefined> {
  const root = context.folders?.extensionRoot;
  if (root === undefined || server.scope !== "extension" || spec?.command === undefined) return undefined;
  const { command } = spec;
  const written = server.draft.command;
  if (!/[\\/]/.test(command) || (written !== undefined && !isInside(root, written))) return undefined;
  const path = isAbsolute(command) ? command : resolve(spec.cwd ?? root, command);
  if (isWithin(await realPathOf(root), await realPathOf(path))) return undefined;
  const problem = {
    severity: strict ? "error" : "warning",
    code: "outside_root",
    message: `the command ${quoteText(command)} is outside of the extension`,
    fix: "use a program within the extension",
  } as const;
  return serverProblem(server, problem, "command");
}
