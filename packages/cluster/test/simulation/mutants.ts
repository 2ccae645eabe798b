import type { SourceMutant } from "../../../../test/load-mutant.ts";

/**
 * Bugs that pools have, each as small as it would be in real life. The simulation has to find every
 * one of them.
 */
export const mutants: readonly SourceMutant[] = [
  one("makes a provider for each who asks (no single flight)", {
    file: "create-pool-core.ts",
    find: "entries.get(owner.id) ?? creation.begin(owner)",
    replace:
      'entries.get(owner.id)?.state.name === "ready" ? (entries.get(owner.id) as PoolEntry) : creation.begin(owner)',
  }),
  one("reaps what is leased", { file: "entry.ts", find: "leases === 0 && !state", replace: "!state" }),
  one("reaps what has calls under way", {
    file: "entry.ts",
    find: "leases === 0 && !state.provider.busy",
    replace: "leases === 0",
  }),
  one("starts the next one of a key beside the one that ends", {
    file: "create-entry.ts",
    find: "await untilAborted(untilGone(ending, owner.id), signal);",
    replace: "",
  }),
  one("gives a place back before its provider is gone", {
    file: "end-entry.ts",
    find: "    await closeWithin(provider, reason, settings);\n    forget();",
    replace: "    forget();\n    await closeWithin(provider, reason, settings);",
  }),
  one("gives a place back twice", {
    file: "end-entry.ts",
    find: "      giveBack();",
    replace: "      capacity.promise(entry.takes, principal).giveBack();\n      giveBack();",
  }),
  one("never gives the place of an attempt back that failed", {
    file: "end-entry.ts",
    find: "const gone = state.over.then(forget);",
    replace: "void forget;\n    const gone = state.over.then(() => void ending.delete(owner.id));",
  }),
  one("loses what make() brings too late", {
    file: "make-provider.ts",
    find: 'if (signal.aborted) await closeWithin(late, "it came too late", settings);',
    replace: "void late;",
  }),
  one("loses a provider that came in the turn in which it was given up", {
    file: "create-entry.ts",
    find: 'leave(closeWithin(provider, "nobody wants it any more", settings));',
    replace: "",
  }),
  one("shows a provider that was disposed of while it was made", {
    file: "create-entry.ts",
    find: "signal.throwIfAborted();\n      listen",
    replace: "listen",
  }),
  one("leaves the timer of make() behind", { file: "make-provider.ts", find: ".finally(cancel)", replace: "" }),
  one("leaves the timer of the sweep behind", {
    file: "create-pool-core.ts",
    find: "      sweep.stop();\n",
    replace: "",
  }),
  one("leaves the timer of who waits for a place behind", {
    file: "wait-queue.ts",
    find: "        leave(waiter, wasServed);\n        cancel();",
    replace: "        leave(waiter, wasServed);",
  }),
  one("never lets anybody in who waits for a place", {
    file: "wait-queue.ts",
    find: "if (lacks === undefined) waiter.admit();",
    replace: "if (lacks === undefined) continue;",
  }),
  one("lets those in who wait although there is no room", {
    file: "wait-queue.ts",
    find: "queue.fits(waiter.request) ?",
    replace: "queue.fits(waiter.request) || waiter.isOverdue ?",
  }),
  one("counts no place for what it makes", {
    file: "create-entry.ts",
    find: "capacity.take(wanted.takes, owner.principal);",
    replace: "",
  }),
  one("forgets what is made when it is shut down", {
    file: "create-pool-core.ts",
    find: '        void endings.end(entry, { why: "shutdown"',
    replace: '        if (entry.state.name === "ready") void endings.end(entry, { why: "shutdown"',
  }),
  one("does not wait for what is ending when it is shut down", {
    file: "create-pool-core.ts",
    find: "resolve(untilGone(ending).then(onEnd));",
    replace: "entries.clear();\n      resolve(Promise.resolve());",
  }),
  one("goes on showing a provider that somebody else closed", {
    file: "create-entry.ts",
    find: "provider.onClosed(",
    replace: "((_listener: unknown) => undefined)(",
  }),
  one("ends a provider that was just handed out because one of those who waited gave up", {
    file: "end-entry.ts",
    find: 'if (state.name !== "creating") return;\n    const forget = leave(entry);',
    replace:
      'if (state.name === "ending") return;\n    const forget = leave(entry);\n    if (state.name === "ready") return void state.provider.close("displaced");',
  }),
  one("closes nothing that it displaces", {
    file: "end-entry.ts",
    find: "    await closeWithin(provider, reason, settings);\n    forget();",
    replace: '    if (why !== "displaced") await closeWithin(provider, reason, settings);\n    forget();',
  }),
  one("hands out a lease a moment after it looked whether there is a provider", {
    file: "obtain-provider.ts",
    find: "return take(found);",
    replace: "await undefined;\n        return take(found);",
  }),
  one("promises the same place to two", {
    file: "queue-scan.ts",
    find: "reserved.add(isHeldByOwn ? ownOf(need) : need, request.principal);",
    replace: "void [reserved, isHeldByOwn, ownOf];",
  }),
  one("leaves the timer of that look behind", {
    file: "wait-queue.ts",
    find: "    cancelLook?.();\n",
    replace: "",
  }),
  one("makes more while it tells who hears of it that it is shut down", {
    file: "create-pool-core.ts",
    find: "      shutDown = promise;\n",
    replace: "      setTimeout(() => (shutDown = promise));\n",
  }),
  one("ends what others wait for when one gives up", {
    file: "create-entry.ts",
    find: "if (entry.waiters === 0)",
    replace: "if (entry.waiters >= 0)",
  }),
  one("never gives a provider the new servers", {
    file: "update-entry.ts",
    find: "return wanted !== config && wanted !== refused;",
    replace: "return wanted === undefined && refused === config;",
  }),
];

function one(bug: string, patch: SourceMutant["patches"][number]): SourceMutant {
  return { bug, patches: [patch] };
}
