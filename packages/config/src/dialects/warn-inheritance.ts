import type { ConfiguredServer } from "../configured-server.ts";
import type { ServerReader } from "../read/server-reader.ts";

/**
 * Says once of a file that its processes get the whole environment, as its tool does it and nothing
 * here would by itself.
 */
export function warnInheritance(reader: ServerReader, servers: readonly ConfiguredServer[], title: string): void {
  const first = servers.find(({ draft }) => draft.command !== undefined && draft.inheritEnv === "all");
  if (first === undefined) return;
  reader.problems.add({
    path: first.path.slice(0, -1),
    severity: "warning",
    code: "inherits_environment",
    message: `its processes get the whole environment of this one, secrets included, as in ${title}`,
    fix: 'name what each needs in env, and set inheritEnv to "safe"',
  });
}
