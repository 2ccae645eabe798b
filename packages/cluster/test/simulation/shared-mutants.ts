import type { SourceMutant } from "../../../../test/load-mutant.ts";

/**
 * Bugs of sharing and of bounds. The simulation of shared providers has to find every one of them.
 */
export const sharedMutants: readonly SourceMutant[] = [
  one("gives a conversation of one principal to another", {
    file: "pool/create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([sharing, conversation === undefined ? principal : null, conversation ?? null])",
  }),
  one("has all conversations of a principal share what remembers", {
    file: "pool/create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([sharing, principal ?? null, null])",
  }),
  one("takes what all share for what nobody in particular has", {
    file: "pool/create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "JSON.stringify([principal ?? null, conversation ?? null])",
  }),
  one("joins the texts of a key by what may be in them", {
    file: "pool/create-shared-providers.ts",
    find: "JSON.stringify([sharing, principal ?? null, conversation ?? null])",
    replace: "`${sharing} ${principal ?? ''}/${conversation ?? ''}`",
  }),
  one("has what is a conversation's own among what all share as well", {
    file: "pool/create-shared-providers.ts",
    find: "specs.filter((spec) => sharingOf(spec) === sharing)",
    replace: 'specs.filter((spec) => sharingOf(spec) === sharing || (sharing === "shared" && spec.id === "z"))',
  }),
  one("leaves a server where it was although others may share it now", {
    file: "pool/create-shared-providers.ts",
    find: "    this.#entries.takeMoved();\n",
    replace: "",
  }),
  one("forgets what is being made when a server goes over to others", {
    file: "pool/entries.ts",
    find: 'if (entry.state.name === "creating") await entry.state.attempt.catch(() => {});',
    replace: 'if (entry.state.name === "creating") return;',
  }),
  one("leaves a server to a provider that does not let go of it", {
    file: "pool/entries.ts",
    find: "if (this.#stayingOf(entry) !== entry.config)",
    replace: "if (this.#stayingOf(entry) === undefined)",
  }),
  one("makes a provider with what has gone over to others meanwhile", {
    file: "pool/entries.ts",
    find: "    const next = isNone(excess(latest.takes, takes))\n",
    replace: "    const next = latest !== config ? config : isNone(excess(latest.takes, takes))\n",
  }),
  one("makes providers for those who have no servers", {
    file: "pool/create-shared-providers.ts",
    find: "this.#configOf(owner).servers.length > 0",
    replace: "this.#configOf(owner) !== undefined",
  }),
  one("counts no processes", {
    file: "pool/capacity.ts",
    find: "maxProcesses: processes.length",
    replace: "maxProcesses: processes.length * 0",
  }),
  one("counts nothing for a principal", {
    file: "pool/capacity.ts",
    find: "isShared ? 0 : enabled.length",
    replace: "isShared ? 0 : enabled.length * 0",
  }),
  one("takes no room for servers that a provider gets later", {
    file: "pool/entries.ts",
    find: "capacity.take(excess(wanted.takes, entry.takes), owner.label.principal);",
    replace: "",
  }),
  one("gives the room of servers away before they are gone", {
    file: "pool/entries.ts",
    find: "entry.leaving.add(leaving);",
    replace: "leaving.giveBack();",
  }),
  one("gives the room of servers away that a provider refused to let go", {
    file: "pool/entries.ts",
    find: "if (!isEnding(entry) && leaving.keep()) {",
    replace: "leaving.giveBack();\n        if (entry.leaving.size < 0) {",
  }),
  one("gives room back twice when a provider ends that lets servers go", {
    file: "pool/capacity.ts",
    find: "if (!isComing) return false;",
    replace: "",
  }),
  one("holds only the first provider of a lease", {
    file: "pool/create-shared-providers.ts",
    find: "for (const entry of held) entry.leases += 1;",
    replace: "for (const entry of held.slice(0, 1)) entry.leases += 1;",
  }),
  one("gives a lease back twice", {
    file: "pool/create-shared-providers.ts",
    find: "      if (!isHeld) return;\n",
    replace: "",
  }),
  one("keeps hold of the others when one of them could not be made", {
    file: "pool/create-shared-providers.ts",
    find: "      for (const entry of pinned) this.#entries.leave(entry);\n      this.#queue.pump();\n",
    replace: "      this.#queue.pump();\n",
  }),
  one("forgets the conversations of a principal that is disposed of", {
    file: "pool/create-shared-providers.ts",
    find: 'label.sharing !== "shared" && label.principal === principal',
    replace: 'label.sharing === "principal" && label.principal === principal',
  }),
  one("ends what is others' with a principal", {
    file: "pool/create-shared-providers.ts",
    find: 'label.sharing !== "shared" && label.principal === principal',
    replace: 'label.sharing !== "shared" && label.principal !== undefined && principal !== ""',
  }),
  one("forgets who waits for room when it is shut down", {
    file: "pool/create-shared-providers.ts",
    find: "    this.#endPending(() => true, reason);\n",
    replace: "",
  }),
  one("displaces although that does not suffice", {
    file: "pool/wait-queue.ts",
    find: "if (!isNone(left)) return undefined;",
    replace: "if (!isNone(left)) return chosen;",
  }),
  one("hands out a provider that ended while the others were made", {
    file: "pool/create-shared-providers.ts",
    find: "      if (providers.length < wanted.length) continue;\n",
    replace: "",
  }),
];

function one(bug: string, patch: SourceMutant["patches"][number]): SourceMutant {
  return { bug, patches: [patch] };
}
