import type { SourceMutant } from "../../../../test/load-mutant.ts";

/**
 * Bugs of sharing and of bounds. The simulation of shared providers has to find every one of them.
 */
export const sharedMutants: readonly SourceMutant[] = [
  one("gives a conversation of one principal to another", {
    file: "create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([sharing, conversation === undefined ? principal : null, conversation ?? null])",
  }),
  one("has all conversations of a principal share what remembers", {
    file: "create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([sharing, principal ?? null, null])",
  }),
  one("takes what all share for what nobody in particular has", {
    file: "create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([principal ?? null, conversation ?? null])",
  }),
  one("joins the texts of a key by what may be in them", {
    file: "create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "`${sharing} ${principal ?? ''}/${conversation ?? ''}`",
  }),
  one("has what is a conversation's own among what all share as well", {
    file: "create-shared-providers.ts",
    find: "servers.filter((spec) => sharingOf(spec) === sharing)",
    replace: 'servers.filter((spec) => sharingOf(spec) === sharing || (sharing === "shared" && spec.id === "z"))',
  }),
  one("leaves a server where it was although others may share it now", {
    file: "create-shared-providers.ts",
    find: "      core.changed();\n",
    replace: "",
  }),
  one("starts a server for its new owners before it is gone from the old ones", {
    file: "create-entry.ts",
    find: "if (departed === undefined) break;",
    replace: "break;",
  }),
  one("gives a provider that there is a server that is not gone from where it was", {
    file: "create-pool-core.ts",
    find: "draining.untilGone(config(owner), owner) !== undefined",
    replace: "config(owner) === undefined",
  }),
  one("forgets what is being made when a server goes over to others", {
    file: "create-pool-core.ts",
    find: 'state.name === "creating" && state.progress !== "under-way"',
    replace: 'state.name === "creating"',
  }),
  one("forgets what is ending when a server goes over to others", {
    file: "create-pool-core.ts",
    find: "for (const entry of [...entries.values(), ...allEnding(ending)]) {",
    replace: "for (const entry of entries.values()) {",
  }),
  one("leaves a server to a provider that does not let go of it", {
    file: "update-entry.ts",
    find: "if (stayingOf(entry.config, owner, parts) !== entry.config)",
    replace: "if (stayingOf(entry.config, owner, parts) === undefined)",
  }),
  one("makes a provider with what has gone over to others meanwhile", {
    file: "create-entry.ts",
    find: "  if (isRoom) return latest;\n",
    replace: "  if (!isRoom || latest !== before) return before;\n",
  }),
  one("looks only at what all share when a server goes over", {
    file: "draining-servers.ts",
    find: " || a.principal === b.principal",
    replace: "",
  }),
  one("makes providers for those who have no servers", {
    file: "obtain-provider.ts",
    find: "return hasEmpty || config(owner).servers.length > 0;",
    replace: "return hasEmpty || config(owner) !== undefined;",
  }),
  one("counts no processes", {
    file: "capacity.ts",
    find: "maxProcesses: processes.length",
    replace: "maxProcesses: processes.length * 0",
  }),
  one("counts nothing for a principal", {
    file: "capacity.ts",
    find: "isShared ? 0 : enabled.length",
    replace: "isShared ? 0 : enabled.length * 0",
  }),
  one("takes no room for servers that a provider gets later", {
    file: "update-entry.ts",
    find: "capacity.take(excess(wanted.takes, entry.takes), owner.principal);",
    replace: "",
  }),
  one("gives the room of servers away before they are gone", {
    file: "update-entry.ts",
    find: "entry.leaving.add(leaving);",
    replace: "leaving.giveBack();",
  }),
  one("gives the room of servers away that a provider refused to let go", {
    file: "update-entry.ts",
    find: "if (!isEnding(entry) && leaving.keep()) {",
    replace: "leaving.giveBack();\n        if (entry.leaving.size < 0) {",
  }),
  one("gives room back twice when a provider ends that lets servers go", {
    file: "capacity-tracker.ts",
    find: "if (!isComing) return false;",
    replace: "",
  }),
  one("holds only the first provider of a lease", {
    file: "create-shared-providers.ts",
    find: "found.map(({ entry }) => entry)",
    replace: "found.slice(0, 1).map(({ entry }) => entry)",
  }),
  one("gives a lease back twice", {
    file: "create-pool-core.ts",
    find: "        if (!isHeld) return;\n",
    replace: "",
  }),
  one("keeps hold of the others when one of them could not be made", {
    file: "obtain-provider.ts",
    find: "  const giveUp = (pinned: readonly PoolEntry[]): void => {\n    for (const entry of pinned) creation.leave(entry);\n",
    replace: "  const giveUp = (_pinned: readonly PoolEntry[]): void => {\n",
  }),
  one("forgets the conversations of a principal that is disposed of", {
    file: "create-shared-providers.ts",
    find: 'owner.sharing !== "shared" && owner.principal === principal',
    replace: 'owner.sharing === "principal" && owner.principal === principal',
  }),
  one("ends what is others' with a principal", {
    file: "create-shared-providers.ts",
    find: 'owner.sharing !== "shared" && owner.principal === principal',
    replace: 'owner.sharing !== "shared" && owner.principal !== undefined && principal !== ""',
  }),
  one("forgets who waits for room when it is shut down", {
    file: "create-pool-core.ts",
    find: "for (const { end } of obtaining.waitingFor(() => true)) end(reason);",
    replace: "",
  }),
  one("displaces although that does not suffice", {
    file: "choose-displaced.ts",
    find: "return isNone(left) ? withoutSpare(lack, chosen) : undefined;",
    replace: "return isNone(left) ? withoutSpare(lack, chosen) : chosen;",
  }),
  one("hands out a provider that ended while the others were made", {
    file: "obtain-provider.ts",
    find: 'if (entry?.state.name !== "ready" || !pinned.includes(entry) || isOutdated(entry, parts)) return undefined;',
    replace:
      'if (entry?.state.name !== "ready") continue;\n    if (!pinned.includes(entry) || isOutdated(entry, parts)) return undefined;',
  }),
];

function one(bug: string, patch: SourceMutant["patches"][number]): SourceMutant {
  return { bug, patches: [patch] };
}
