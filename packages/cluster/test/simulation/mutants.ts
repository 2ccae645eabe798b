import type { SourceMutant } from "../../../../test/load-mutant.ts";

/**
 * Bugs that pools have, each as small as it would be in real life. The simulation has to find every
 * one of them.
 */
export const mutants: readonly SourceMutant[] = [
  one("makes a provider for each who asks (no single flight)", {
    file: "pool/create-shared-providers.ts",
    find: "const entry = known ?? this.#entries.begin(owner);",
    replace: 'const entry = known?.state.name === "ready" ? known : this.#entries.begin(owner);',
  }),
  one("reaps what is leased", { file: "pool/entries.ts", find: "leases === 0 && !state", replace: "!state" }),
  one("reaps what has calls under way", {
    file: "pool/entries.ts",
    find: "leases === 0 && !state.provider.busy",
    replace: "leases === 0",
  }),
  one("starts the next one of a key beside the one that ends", {
    file: "pool/entries.ts",
    find: "      this.untilGone(({ id }) => id === owner.id),",
    replace: "      this.untilGone(() => false),",
  }),
  one("gives a place back before its provider is gone", {
    file: "pool/entries.ts",
    find: "    await this.#closeWithin(provider, reason);\n    forget();",
    replace: "    forget();\n    await this.#closeWithin(provider, reason);",
  }),
  one("gives a place back twice", {
    file: "pool/entries.ts",
    find: "      giveBack();\n    };",
    replace:
      "      this.#rules.capacity.promise(entry.takes, entry.owner.label.principal).giveBack();\n      giveBack();\n    };",
  }),
  one("never gives the place of an attempt back that failed", {
    file: "pool/entries.ts",
    find: "state.attempt.catch(() => state.leftover).then(forget);",
    replace: "state.attempt.catch(() => state.leftover).then(() => void this.ending.delete(entry));\n    void forget;",
  }),
  one("loses what make() brings too late", {
    file: "pool/entries.ts",
    find: 'if (signal.aborted) await this.#closeWithin(late, "it came too late");',
    replace: "void late;",
  }),
  one("loses a provider that came in the turn in which it was given up", {
    file: "pool/entries.ts",
    find: 'state.leftover = this.#closeWithin(provider, "nobody wants it any more");',
    replace: "",
  }),
  one("shows a provider that was disposed of while it was made", {
    file: "pool/entries.ts",
    find: "signal.throwIfAborted();\n      this",
    replace: "this",
  }),
  one("leaves the timer of make() behind", { file: "pool/entries.ts", find: ".finally(cancel)", replace: "" }),
  one("leaves the timer of the sweep behind", {
    file: "pool/entries.ts",
    find: "    this.#cancelSweep?.();\n",
    replace: "",
  }),
  one("never lets anybody in who waits for a place", {
    file: "pool/wait-queue.ts",
    find: "if (lacks === undefined) waiter.admit();",
    replace: "if (lacks === undefined) continue;",
  }),
  one("lets those in who wait although there is no room", {
    file: "pool/wait-queue.ts",
    find: "scan.fits(waiter.request) ?",
    replace: "scan.fits(waiter.request) || clock.now() >= waiter.endsAt ?",
  }),
  one("counts no place for what it makes", {
    file: "pool/entries.ts",
    find: "capacity.take(config.takes, owner.label.principal);",
    replace: "",
  }),
  one("does not wait for what is ending when it is shut down", {
    file: "pool/create-shared-providers.ts",
    find: "begin(this.#entries.untilGone(() => true).then(() => this.events.close()));",
    replace: "this.#entries.live.clear();\n    this.#entries.ending.clear();\n    begin(Promise.resolve());",
  }),
  one("goes on showing a provider that somebody else closed", {
    file: "pool/entries.ts",
    find: "provider.onClosed(",
    replace: "((_listener: unknown) => undefined)(",
  }),
  one("ends a provider that was just handed out because one of those who waited gave up", {
    file: "pool/entries.ts",
    find: 'if (state.name !== "creating") return;\n    const forget = this.#retire(entry);',
    replace:
      'if (state.name === "ending") return;\n    const forget = this.#retire(entry);\n    if (state.name === "ready") return void state.provider.close("displaced");',
  }),
  one("closes nothing that it displaces", {
    file: "pool/entries.ts",
    find: "    await this.#closeWithin(provider, reason);\n    forget();",
    replace: '    if (why !== "displaced") await this.#closeWithin(provider, reason);\n    forget();',
  }),
  one("hands out a lease a moment after it looked whether there is a provider", {
    file: "pool/create-shared-providers.ts",
    find: "return take(found, providers);",
    replace: "await undefined;\n      return take(found, providers);",
  }),
  one("promises the same place to two", {
    file: "pool/wait-queue.ts",
    find: "this.#reserved.add(isHeldByOwn ? ownOf(need) : need, request.principal);",
    replace: "void [isHeldByOwn, ownOf];",
  }),
  one("leaves the timer of that look behind", {
    file: "pool/wait-queue.ts",
    find: "    this.#cancelLook?.();\n",
    replace: "",
  }),
  one("makes more while it tells who hears of it that it is shut down", {
    file: "pool/create-shared-providers.ts",
    find: "    this.#ended = new Promise<void>((resolve) => (begin = resolve));\n",
    replace:
      "    const ended = new Promise<void>((resolve) => (begin = resolve));\n    setTimeout(() => (this.#ended = ended));\n    this.#ended = undefined;\n",
  }),
  one("ends what others wait for when one gives up", {
    file: "pool/entries.ts",
    find: "if (entry.waiters === 0)",
    replace: "if (entry.waiters >= 0)",
  }),
  one("never gives a provider the new servers", {
    file: "pool/entries.ts",
    find: "return wanted !== config && wanted !== refused;",
    replace: "return wanted === undefined && refused === config;",
  }),
];

function one(bug: string, patch: SourceMutant["patches"][number]): SourceMutant {
  return { bug, patches: [patch] };
}
