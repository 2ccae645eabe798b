import type { ServerSpec, ServerEntry, EntrySettings } from "@hostside/core";
import type { AppliedServer, Command, Program } from "./program.ts";

const timeouts = { connectMs: 1000, listMs: 500, callMs: 3000, elicitMs: 1500, closeMs: 100 };

/** The spec that a played server has at first, but for what `rest` says. */
export function specFor(id: string, { concurrency }: Program, rest: Rest = {}): ServerSpec {
  const { entry = httpWith("token"), ...settings } = rest;
  const limits = { maxInFlightCalls: 2, maxQueuedCalls: 3 };
  return { ...entry, id, timeouts, concurrency, limits, ...settings };
}

interface Rest extends Partial<EntrySettings> {
  readonly entry?: ServerEntry;
}

// Nobody connects there: what type of transport it is only shows in what an update has to restart.
function httpWith(bearerToken: string): ServerEntry {
  return { type: "http", url: "https://example.com/mcp", bearerToken };
}

/** The spec of an update. */
export function updatedSpec(
  { id, change }: Extract<Command, { readonly do: "update" }>,
  index: number,
  program: Program,
): ServerSpec {
  const rest: Record<typeof change, Rest> = {
    session: { entry: { type: "custom", open: () => index } },
    credentials: { entry: httpWith(`token ${index}`) },
    view: { title: `title ${index}` },
    disabled: { disabled: true },
  };
  return specFor(id, program, rest[change]);
}

// The same function each time: another one would be another transport.
const open = (): undefined => undefined;

/** The spec of a server in a set. */
export function appliedSpec({ id, spec }: AppliedServer, program: Program): ServerSpec {
  const rest: Record<typeof spec, Rest> = {
    first: {},
    title: { title: "applied" },
    token: { entry: httpWith("applied") },
    place: { entry: { type: "http", url: "https://example.com/applied" } },
    process: { entry: { type: "custom", open } },
    off: { disabled: true },
  };
  return specFor(id, program, rest[spec]);
}
