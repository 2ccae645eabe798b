import { codeOf, hold } from "./hold.ts";
import type { Run } from "./run.ts";

/** A server whose tools are known is not started by `init()`, and shows them. */
export function checkUnasked({ program, world, provider }: Run): void {
  if (program.saved === "nothing") return;
  for (const { id, connects } of world.servers.values()) {
    hold(connects.started === 0, () => `${id} was started, though its tools are known`);
  }
  for (const { id, stale, toolCount } of provider.statuses()) {
    hold(stale && toolCount > 0, () => `${id} does not show what it listed before, marked stale`);
  }
}

/** What was selected is what runs, where a server changes nothing while it is used. */
export function checkSelected({ operations, program, world }: Run): void {
  if (program.saved !== "outdated" || program.commands.some((command) => command.do === "change")) return;
  for (const { selected, callId = "", serverId = "", label } of operations.all) {
    const server = world.servers.get(serverId);
    if (selected?.origin === undefined || server?.ledger.has(callId) !== true) continue;
    const version = server.tools.get(selected.origin.toolName);
    hold(selected.description.endsWith(`version ${version}`), () => `${label} ran, and another tool was selected`);
  }
}

/**
 * What a server refused without a handshake was not run, and nobody but the provider has to know.
 */
export function checkMistaken({ operations }: Run): void {
  for (const { end, label } of operations.all) {
    if (end === undefined || !("error" in end)) continue;
    hold(codeOf(end.error) !== "unsupported_protocol", () => `${label} failed because the server is another one`);
  }
}
