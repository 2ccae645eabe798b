import type { Clock, Diagnostic, Lock, Store } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { BlobSink } from "./keep/blob-sink.ts";
import type { RandomBytes } from "./keep/random-bytes.ts";
import { readCount } from "./keep/read-count.ts";
import type { ScaleImage } from "./media/scale-images.ts";
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
  /** Pieces of one result that are kept each by itself. Default 16. */
  readonly maxPieces?: number | undefined;
  /**
   * How long a result waits until its pieces are kept, in milliseconds, all together. Default
   * 5,000; then the model gets it without the rest.
   */
  readonly keepTimeoutMs?: number | undefined;
  /** For one reading of what was kept, in milliseconds. Default 30,000. */
  readonly readTimeoutMs?: number | undefined;
  /** The name of the tool. Default `results_read`. */
  readonly toolName?: string | undefined;
  /**
   * Makes pictures smaller that are too large to be shown; they are kept as they came, too. Has
   * `keepTimeoutMs` for all of one result, before the time for keeping begins. Default: they are
   * not shown.
   */
  readonly scaleImage?: ScaleImage | undefined;
  /** Hears of what could not be kept (`not-kept`). Must not throw. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
  /** Where handles come from. Default: the runtime's generator for secrets. */
  readonly randomBytes?: RandomBytes | undefined;
}

/** Numbers of {@linkcode ResultsOptions}, with their defaults. */
export interface ResultsBounds {
  readonly ttlMs: number;
  readonly maxHandles: number;
  readonly maxKeptBytes: number;
  readonly maxPieces: number;
  readonly keepTimeoutMs: number;
  readonly readTimeoutMs: number;
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
  maxPieces: true,
  keepTimeoutMs: true,
  readTimeoutMs: true,
  toolName: true,
  scaleImage: true,
  onDiagnostic: true,
  clock: true,
  randomBytes: true,
};
const parts: Readonly<Record<string, readonly string[]>> = {
  sink: ["put", "read", "delete"],
  store: ["get", "set", "delete"],
  lock: ["withLock"],
  clock: ["now", "schedule"],
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
  for (const name of ["scaleImage", "onDiagnostic", "randomBytes"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") {
      throw new TypeError(`${name} must be a function`);
    }
  }
  const { toolName } = options;
  if (toolName !== undefined && !(typeof toolName === "string" && /^[A-Za-z][\w-]{0,63}$/.test(toolName))) {
    throw new TypeError("toolName must be a letter and up to 63 letters, digits, _ and -");
  }
}

/** Reads the numbers. Throws a `TypeError` that names the field. */
export function readBounds(options: ResultsOptions): ResultsBounds {
  const read = (name: keyof ResultsBounds, otherwise: number, most?: number): number =>
    readCount(options[name], name, { otherwise, most });
  return {
    ttlMs: read("ttlMs", 3_600_000),
    maxHandles: read("maxHandles", 64, 1000),
    maxKeptBytes: read("maxKeptBytes", 64 * 1024 * 1024),
    maxPieces: read("maxPieces", 16, 1000),
    keepTimeoutMs: read("keepTimeoutMs", 5000, 86_400_000),
    readTimeoutMs: read("readTimeoutMs", 30_000, 86_400_000),
  };
}
