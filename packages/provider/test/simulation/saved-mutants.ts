import type { Mutant } from "./mutant.ts";

/** Bugs in what is done with a catalogue that was saved. */
export const savedMutants: readonly Mutant[] = [
  {
    bug: "starts servers whose tools are known from before",
    patches: [
      {
        file: "servers/bring-up.ts",
        find: "(one.link.spec.required === true || !isRecalled(one))",
        replace: '(one.link.spec.required === true || one.link.state.kind === "idle")',
      },
    ],
  },
  {
    bug: "calls what was selected from a saved listing without a look at the server",
    patches: [
      {
        file: "link/transition.ts",
        find: "if (state.forCalls === true && context.now < listedUntil)",
        replace: "if (state.forCalls === true && context.now >= listedUntil)",
      },
    ],
  },
  {
    bug: "takes whatever was saved for what still holds",
    patches: [
      {
        file: "saved/read-saved-catalog.ts",
        find: 'if (saved === undefined || saved.server.era !== "modern") return undefined;',
        replace: "if (saved === undefined) return undefined;",
      },
      {
        file: "saved/read-saved-catalog.ts",
        find: "Math.min(listing.ttlMs ?? 0, longestTrustMs) - ageMs",
        replace: "longestTrustMs - ageMs",
      },
    ],
  },
  {
    bug: "gives up a call that a server refused because it is not the one any more that was known",
    patches: [
      {
        file: "calls/call-queue.ts",
        find: 'if (isMistaken) return error.outcome === "failed" || error.outcome === "not-sent";',
        replace: "",
      },
    ],
  },
  {
    bug: "goes on without a handshake after what was known proved wrong",
    patches: [
      {
        file: "link/link.ts",
        find: "return session === 1;",
        replace: "return session >= 1;",
      },
    ],
  },
  {
    bug: "shows what was saved as the server's word of today",
    patches: [
      {
        file: "servers/registration.ts",
        find: 'stale: shownListing !== undefined && !(state.kind === "ready"',
        replace: 'stale: shownListing !== undefined && state.kind !== "idle" && !(state.kind === "ready"',
      },
    ],
  },
];
