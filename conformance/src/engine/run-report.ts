import type { CheckResult } from "./check.ts";
import type { TraceEvent } from "./trace.ts";

/**
 * `incomplete` is neither: something that was owed could not be checked, or nothing was checked at
 * all.
 */
export type Verdict = "pass" | "fail" | "incomplete";

/** What a process exits with. */
export const exitCodes: {
  readonly pass: 0;
  readonly fail: 1;
  readonly usage: 2;
  readonly incomplete: 3;
  readonly unreachable: 4;
  readonly authRequired: 5;
} = { pass: 0, fail: 1, usage: 2, incomplete: 3, unreachable: 4, authRequired: 5 };

/** One cause, told once: the failed check and those that could not run because of it. */
export interface Headline {
  readonly checkId: string;
  readonly observed: string;
  readonly fix: string;
  /** Ids of checks that this one prevented. */
  readonly prevented: readonly string[];
}

/** Why the target could not be tested at all. */
export interface Obstacle {
  readonly kind: "unreachable" | "auth-required";
  /** What happened, in one line. */
  readonly reason: string;
  /** The end of what it wrote to stderr, redacted. */
  readonly stderr?: string;
}

/**
 * Everything that is known after a run. Every report (terminal, JSON, JUnit, SARIF, HTML) is a view
 * of this.
 */
export interface RunReport {
  /** Version of this shape. */
  readonly schemaVersion: 1;
  readonly kit: { readonly name: "@hostside/conformance"; readonly version: string };
  readonly side: "server" | "host";
  /** What was tested, redacted: a command line or a URL. */
  readonly target: string;
  /** What the target says of itself, if it said anything. */
  readonly identity?: {
    readonly name?: string;
    readonly version?: string;
    readonly protocolVersions: readonly string[];
  };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  /** Whether failed SHOULD and HOST checks fail the run, too. */
  readonly strict: boolean;
  readonly verdict: Verdict;
  readonly exitCode: number;
  readonly counts: Readonly<
    Record<"passed" | "failed" | "advice" | "baselined" | "notApplicable" | "couldNotRun", number>
  >;
  readonly headlines: readonly Headline[];
  /** Set when nothing could be tested: every result then says that it could not run. */
  readonly obstacle?: Obstacle;
  /**
   * Tools that were to be called and that the server does not list: the run is not complete. Absent
   * when there are none.
   */
  readonly unknownTools?: readonly string[];
  /** Tools that the server lists and that the kit did not call. Absent when there are none. */
  readonly uncalledTools?: readonly UncalledTool[];
  /**
   * What a host makes of the server; absent when it was not asked for, or no handshake succeeded.
   */
  readonly preview?: HostPreview;
  readonly results: readonly CheckResult[];
  /** Baseline entries that no longer fail, or that expired: they fail the run. */
  readonly staleBaseline: readonly string[];
  readonly trace: readonly TraceEvent[];
}

/** A tool that was not called. */
export interface UncalledTool {
  readonly name: string;
  readonly reason: string;
  /** The option that has it called; absent when there is none. */
  readonly remedy?: string;
}

/**
 * What a host makes of a server: computed by Hostside's own provider, not by a copy of its rules.
 */
export interface HostPreview {
  /** Local names, with the remote name behind each, in the order in which a model gets them. */
  readonly tools: readonly { readonly name: string; readonly toolName: string }[];
  readonly groups: readonly { readonly id: string; readonly title: string; readonly members: number }[];
  /** What was dropped, cut, flagged or renamed, and why. */
  readonly notes: readonly string[];
  /** Why the server could not be used at all. */
  readonly failure?: string;
}
