import type { Diagnostic, Lock, Store } from "@hostside/core";
import { assertKnownOptions, readWholeNumber, type Fields } from "@hostside/core/implement";
import type { BlobSink } from "./keep/blob-sink.ts";
import { presentFields, type PresentOptions } from "./present/present-options.ts";

/** What a presenter shows, and where it keeps the rest. */
export interface ResultsOptions extends Omit<PresentOptions, "kept"> {
  /** Where what is too big is kept. Who made it closes it. */
  readonly sink: BlobSink;
  /**
   * Where handles are kept. Default: in memory, until the process ends. One that several processes
   * share lets each read what the other kept, when they share the sink, too.
   */
  readonly store?: Store | undefined;
  /**
   * What makes a change to a conversation's handles exclusive. Goes with `store`: processes that
   * share one share the other. Default: in this process.
   */
  readonly lock?: Lock | undefined;
  /**
   * How long a handle is good, in milliseconds. Default an hour; no longer than the sink keeps a
   * blob is of use.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Handles of one conversation. Default 64; one more, and the oldest goes, which the notice says.
   */
  readonly maxHandles?: number | undefined;
  /**
   * Of all that one conversation keeps. Default 64 MiB; more, and the oldest goes. So no
   * conversation takes all the room of a sink.
   */
  readonly maxKeptBytes?: number | undefined;
  /** The name of the tool. Default `results_read`. */
  readonly toolName?: string | undefined;
  /** Hears of what could not be kept (`not-kept`). Must not throw. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** Numbers of {@linkcode ResultsOptions}, with their defaults. */
export interface ResultsBounds {
  readonly ttlMs: number;
  readonly maxHandles: number;
  readonly maxKeptBytes: number;
}

// What was kept is the presenter's own to know.
const { kept: _kept, ...ofPresenting } = presentFields;
const fields: Fields<ResultsOptions> = {
  ...ofPresenting,
  sink: true,
  store: true,
  lock: true,
  ttlMs: true,
  maxHandles: true,
  maxKeptBytes: true,
  toolName: true,
  onDiagnostic: true,
};
const parts: Readonly<Record<string, readonly string[]>> = {
  sink: ["put", "read", "delete"],
  store: ["get", "set", "delete"],
  lock: ["withLock"],
};

/**
 * Refuses options that nothing reads and parts that cannot be called. Throws a `TypeError` that
 * names the field.
 */
export function assertResultsOptions(options: ResultsOptions): void {
  assertKnownOptions("createResults()", options, fields);
  for (const [name, members] of Object.entries(parts)) {
    const part: unknown = Reflect.get(options, name);
    if (part === undefined && name !== "sink") continue;
    const has = (member: string): boolean =>
      typeof part === "object" && part !== null && typeof Reflect.get(part, member) === "function";
    if (!members.every(has)) throw new TypeError(`${name} must have ${members.map((one) => `${one}()`).join(", ")}`);
  }
  if (options.onDiagnostic !== undefined && typeof options.onDiagnostic !== "function") {
    throw new TypeError("onDiagnostic must be a function");
  }
  const { toolName } = options;
  if (toolName !== undefined && !(typeof toolName === "string" && /^[A-Za-z][\w-]{0,63}$/.test(toolName))) {
    throw new TypeError("toolName must be a letter and up to 63 letters, digits, _ and -");
  }
}

/** Reads the numbers. Throws a `TypeError` that names the field. */
export function readBounds({ ttlMs, maxHandles, maxKeptBytes }: ResultsOptions): ResultsBounds {
  return {
    ttlMs: readWholeNumber(ttlMs, "ttlMs", { least: 1, otherwise: 3_600_000 }),
    maxHandles: readWholeNumber(maxHandles, "maxHandles", { least: 1, most: 1000, otherwise: 64 }),
    maxKeptBytes: readWholeNumber(maxKeptBytes, "maxKeptBytes", { least: 1, otherwise: 64 * 1024 * 1024 }),
  };
}
