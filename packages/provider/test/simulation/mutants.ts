import type { Mutant } from "./mutant.ts";
import { savedMutants } from "./saved-mutants.ts";

/**
 * Bugs that hosts have, each as small as it would be in real life. The simulation has to find every
 * one of them.
 */
export const mutants: readonly Mutant[] = [
  {
    bug: "holds the time that a server waits for its turn against its start",
    patches: [
      {
        file: "link/transition.ts",
        find: "startedAt: event.waits ? undefined : context.now",
        replace: "startedAt: state.startedAt",
      },
    ],
  },
  {
    bug: "starts a session for each caller that finds one on its way (no single flight)",
    patches: [
      {
        file: "link/transition.ts",
        find: 'case "connecting":\n      return stay(alsoFor(demand, state), { type: "wait", tickets, run: state.run + 1 });',
        replace:
          'case "connecting":\n      return startAttempt({ ...state, kind: "idle" }, context, { before: [{ type: "wait", tickets, run: state.run + 1 }] });',
      },
    ],
  },
  {
    bug: "forgets a notification that comes while it lists (dirty is cleared after the await)",
    patches: [
      {
        file: "link/listing-transitions.ts",
        find: "return stay(state.listing.noticed ? state : withListing(state, { noticed: true }));",
        replace: "return stay(state);",
      },
    ],
  },
  {
    bug: "lets an older listing overwrite a newer one",
    patches: [
      {
        file: "link/listing-transitions.ts",
        find: "  // A refresh must not be",
        replace:
          '  if (demand === "refresh" && state.kind === "ready") {\n    const step = startRun(state, context);\n    return { state: step.state, effects: [{ type: "wait", tickets, run: step.state.run }, ...step.effects] };\n  }\n  // A refresh must not be',
      },
      {
        file: "link/transition.ts",
        find: "return isRunning(state) && state.session === session && state.run === run;",
        replace: "return hasSession(state) && state.session === session && state.run >= run;",
      },
    ],
  },
  {
    bug: "does not list again after a reconnect",
    patches: [
      {
        file: "link/transition.ts",
        find: "  return startFirstRun({ session, run, failures, lastFailure, connectedAt: context.now, connectMs }, context);",
        replace:
          '  const live = { session, run, failures, connectedAt: context.now, connectMs };\n  if (run === 0) return startFirstRun(live, context);\n  return { state: { ...live, kind: "ready", listMs: 0, listing: { kind: "fresh" } }, effects: [{ type: "release", run: run + 1 }] };',
      },
    ],
  },
  {
    bug: "takes a failed listing for a good one",
    patches: [
      {
        file: "link/listing-transitions.ts",
        find: "    listing: error.retryable ? withDueTime(dirty, context) : dirty,",
        replace: '    listing: { kind: "fresh" },',
      },
    ],
  },
  {
    bug: "publishes what a removed server listed late (no removed check)",
    patches: [
      {
        file: "link/transition.ts",
        find: '    state: { kind: "removed", session, run, error },\n    effects: [',
        replace: "    state,\n    effects: [",
      },
      {
        file: "servers/server-set.ts",
        find: "    if (!this.#isCurrent(registration)) return;",
        replace: "    this.#registrations.set(registration.id, registration);",
      },
    ],
  },
  {
    bug: "keeps the session of a removed server",
    patches: [
      {
        file: "servers/server-set.ts",
        find: "      gone = this.draining.end(registration, ending);",
        replace: "      registration.queue.rejectWaiting(ending.error);",
      },
    ],
  },
  {
    bug: "rolls a failed add back onto the registration that has taken its place",
    patches: [
      {
        file: "servers/server-set.ts",
        find: "    if (this.#isCurrent(registration)) {\n      this.#registrations.delete",
        replace:
          "    const current = this.#registrations.get(registration.id);\n    if (current !== undefined) {\n      registration = current;\n      this.#registrations.delete",
      },
    ],
  },
  {
    bug: "shows the tools of a server before it is known that it can be added",
    patches: [
      {
        file: "servers/add-server.ts",
        find: "  if (!registration.provisional) return;\n  try {",
        replace: "  if (!registration.provisional) return;\n  registration.held = false;\n  try {",
      },
    ],
  },
  {
    bug: "leaves those who wait behind when it closes",
    patches: [
      {
        file: "link/transition.ts",
        find: '    effects: [...(live ? [{ type: "close", session, error, drain } as const] : []), { type: "reject", error }],',
        replace: '    effects: live ? [{ type: "close", session, error, drain }] : [],',
      },
    ],
  },
  {
    bug: "sends a call again though it may have run",
    patches: [
      {
        file: "calls/call-queue.ts",
        find: 'if (error.outcome !== "not-sent" || error.kind !== "execution" || error.code === "server_removed") return false;',
        replace: 'if (error.kind !== "execution" || error.code === "server_removed") return false;',
      },
    ],
  },
  {
    bug: "sends a call again that was under way on an expired session",
    kinds: ["expire", "disconnect"],
    patches: [
      {
        file: "calls/call-queue.ts",
        find: 'return error.outcome !== "unknown";',
        replace: "return true;",
      },
      { file: "link/sessions.ts", find: "  entry.endedBy = error;", replace: "  entry.endedBy ??= error;" },
    ],
  },
  {
    bug: "keeps the place of a call that failed while it waited",
    patches: [{ file: "calls/call-queue.ts", find: "    if (entered) gate.leave(pending);\n", replace: "" }],
  },
  {
    bug: "does not count the time before a call is sent",
    patches: [
      {
        file: "calls/call-queue.ts",
        find: "timeoutMs: remainingMs(pending),",
        replace: "timeoutMs: 1_000_000,",
      },
    ],
  },
  {
    bug: "ends the shared attempt when one caller gives up",
    patches: [
      {
        file: "link/link.ts",
        find: "    const { ticket, session } = this.#waiters.add(demand, signal);",
        replace:
          '    const { ticket, session } = this.#waiters.add(demand, signal);\n    signal?.addEventListener("abort", () => this.#sessions.end(this.state.session, { error: signal.reason }));',
      },
    ],
  },
  {
    bug: "starts the next session before the last one is gone",
    patches: [
      {
        file: "link/sessions.ts",
        find: "      if (this.#entries.size > 1) await settleWithin(earlier, sessionCloseMs(closeMs));",
        replace: "      void earlier;",
      },
    ],
  },
  {
    bug: "renews the session once for each call that finds it expired",
    kinds: ["expire"],
    patches: [
      {
        file: "link/transition.ts",
        find: '  if (state.session !== session) return stay(state);\n  switch (state.kind) {\n    case "ready":\n      return loseSession',
        replace: '  switch (state.kind) {\n    case "ready":\n      return loseSession',
      },
    ],
  },
  {
    bug: "leaves a timer behind",
    patches: [
      {
        file: "link/link.ts",
        find: "    if (due === undefined) this.#alarm.stop();\n    else this.#alarm.setBy(due);",
        replace: "    if (due !== undefined) this.#alarm.setBy(due);",
      },
    ],
  },
  {
    bug: "tells its listeners of what happens while it closes",
    patches: [
      {
        file: "provider.ts",
        find: "    observers.close();\n    resources.close();\n    catalog.close();\n",
        replace: "    resources.close();\n",
      },
      {
        file: "provider.ts",
        find: "    calls.end(error, true);",
        replace: "    calls.end(error, true);\n    observers.close();\n    catalog.close();",
      },
      {
        file: "servers/showing.ts",
        find: 'if (registration.link.state.kind === "removed") return;',
        replace: "",
      },
    ],
  },
  {
    bug: "forgets the tools of a server whose session is lost",
    patches: [
      {
        file: "servers/server-reports.ts",
        find: "    this.#init.onState();",
        replace:
          '    const registration = this.#registration;\n    if (registration.link.state.kind === "down") this.publish({ tools: [], dropped: [], pages: 0 } as never, { connection: { server: registration.shownListing?.server } } as never);\n    this.#init.onState();',
      },
    ],
  },
  {
    bug: "shows a part of a server's tools in the place of all of them",
    patches: [
      {
        file: "link/listing-transitions.ts",
        find: "if (listing.truncated !== undefined && context.hasWholeListing)",
        replace: "if (listing.truncated !== undefined && state.run < 0)",
      },
    ],
  },
  {
    bug: "waits for a connection that never says whether it is closed",
    patches: [
      {
        file: "servers/server-set.ts",
        find: "    return settleWithin(link.gone(butDraining), timeoutMs);",
        replace: "    return link.gone(butDraining);",
      },
    ],
  },
  {
    bug: "loses a server for good whose connector never answered",
    patches: [
      {
        file: "link/sessions.ts",
        find: "await settleWithin(earlier, sessionCloseMs(closeMs));",
        replace: "await earlier;",
      },
    ],
  },
  {
    bug: "cuts the calls under way when a server gets other credentials",
    patches: [
      {
        file: "link/transition.ts",
        find: '[{ type: "close", session, error, drain: true }]',
        replace: '[{ type: "close", session, error }]',
      },
    ],
  },
  {
    bug: "cuts the calls under way on a server that goes, though they have time to finish",
    patches: [
      {
        file: "link/link.ts",
        find: "    if (!drain) this.#sessions.endAll(error);",
        replace: "    this.#sessions.endAll(error);",
      },
    ],
  },
  {
    bug: "lets a call keep the session of a server that has gone for ever",
    kinds: ["call-fault", "drain", "advance", "close"],
    patches: [{ file: "servers/server-set.ts", find: "        link.cut(error);\n", replace: "" }],
  },
  {
    bug: "starts another process while calls finish on the last one",
    kinds: ["drain", "apply", "call-fault"],
    patches: [
      {
        file: "servers/server-set.ts",
        find: "drainMs > 0 && link.spec.url !== undefined",
        replace: "drainMs > 0",
      },
    ],
  },
  {
    bug: "takes a server back that failed to be added, though it is part of a set by now",
    kinds: ["add", "remove", "apply", "connect-fault"],
    patches: [
      {
        file: "servers/server-operations.ts",
        find: "      else if (registration.provisional) serverSet.settle(registration);\n",
        replace: "",
      },
    ],
  },
  {
    bug: "keeps a session that was opened while its credentials were being forgotten",
    patches: [
      {
        file: "servers/server-operations.ts",
        find: "    if (now !== undefined && (now !== registration || link.state.session !== session)) await disconnect(now, error);\n",
        replace: "",
      },
    ],
  },
  ...savedMutants,
];
