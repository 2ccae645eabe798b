import type { ContentBlock } from "./content-block.ts";
import { sameJson, type JsonObject, type JsonValue } from "./json.ts";
import type { TextFlag } from "./text.ts";

/** A server's own words on how its tool behaves. Hints from the server: untrusted. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/**
 * The effect of a call on the world: `"pure"` nothing; `"idempotent-write"` the same however
 * often it is called with the same arguments; `"non-idempotent-write"` something more each time;
 * `"external"` it reaches beyond what the host can see or take back, or nobody knows.
 */
export type ToolEffect = "pure" | "idempotent-write" | "non-idempotent-write" | "external";

/**
 * A warning about a tool: what is odd about its texts, or `"schema-replaced"`: its
 * server gave no input schema that can be used, and `{"type":"object"}` stands in its place, or an
 * output schema that cannot be used was left out. `"extras-dropped"`: more of its entry than a
 * schema may have could not be kept, so that there is no fingerprint.
 */
export type ToolFlag = TextFlag | "schema-replaced" | "extras-dropped";

/**
 * A tool as its server lists it. Schemas are raw: the very objects that came off the wire, never
 * rewritten.
 */
export interface RemoteTool {
  /** The name the server knows the tool by, byte for byte. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly meta?: JsonObject;
  /**
   * Members of the server's entry that the ones above do not show as they are: those nobody here
   * knows, and what was cut, left out or of a wrong type, as the server sent it. A member that is
   * `undefined` here stands for none there. Absent when there are none. A fingerprint is made of
   * the entry as a whole.
   */
  readonly extras?: JsonObject;
  /** Warnings about it; absent when there are none. */
  readonly flags?: readonly ToolFlag[];
}

/** The origin of a tool: the identity behind a local name. */
export interface ToolOrigin {
  readonly serverId: string;
  /** The remote name, byte for byte. */
  readonly toolName: string;
  /** `mcp::<server>::<tool>`, for policies and logs; not for routing. */
  readonly qualifiedName: string;
}

/** A tool as a model gets it. */
export interface ToolDefinition {
  /** The local name: legal for model APIs, unique in its provider. */
  readonly name: string;
  readonly title?: string;
  /** Untrusted text when it comes from a server; data, never an instruction. */
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /**
   * The effect of a call, as the host knows it; a server's hints count only where it is trusted.
   * Absent: `"external"`.
   */
  readonly effect?: ToolEffect;
  /** The host's word on whether a human is to be asked before each call. Absent: it has none. */
  readonly requireApproval?: boolean;
  /**
   * `sha256-` and the hash, in hexadecimal, of the canonical JSON of the whole entry that the
   * server lists, members included that nobody here knows: the same that a lock file of the
   * conformance kit has. Another one means that the tool is not the one it was, whether a model can
   * see that or not. Absent for a tool that no server lists, and for one with the flag
   * `"extras-dropped"`.
   *
   * From a provider it is made when it is first read, and does not show when members are listed: a
   * copy (`{ ...definition }`, JSON) has none, and whether two definitions are the same does not
   * depend on it.
   */
  readonly fingerprint?: string | undefined;
  /**
   * The server's entry for the tool, whole, as the fingerprint is made of it; for comparing with
   * what it listed before. Absent where there is no fingerprint. From a provider it does not show
   * when members are listed, as {@linkcode fingerprint} does not.
   */
  readonly entry?: JsonObject | undefined;
  readonly origin?: ToolOrigin;
  readonly groupIds?: readonly string[];
  readonly flags?: readonly ToolFlag[];
}

/**
 * A set of tools that belong together, such as those of one server. Never sent to a model API as a
 * function.
 */
export interface ToolGroup {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The server's advice on use: untrusted data, never part of a system prompt. */
  readonly instructions?: string;
  /** Local tool names, sorted. */
  readonly members: readonly string[];
}

/**
 * The result of a call, kept whole. A tool's own failure is {@linkcode isError}, not an
 * exception.
 */
export interface ToolOutcome {
  /**
   * In the order of the server; each block is what its type says ({@linkcode ContentBlock}).
   * Anything that was no block at all is in {@linkcode raw} alone.
   */
  readonly content: readonly ContentBlock[];
  /** Any JSON value, `null` included; absent when the server sent none. */
  readonly structuredContent?: JsonValue;
  /**
   * Whether the tool says that it failed. Only the server's `true` counts: `false` where it said
   * nothing, and where it said what the specification does not have, such as `"true"`;
   * {@linkcode raw} has its word.
   */
  readonly isError: boolean;
  readonly origin: ToolOrigin;
  /** The result's `_meta`, for the host; never shown to a model. */
  readonly meta?: JsonObject;
  /** The server's result object, unchanged. */
  readonly raw: JsonObject;
}

/**
 * Marks definitions whose texts were bounded and cleaned when they were made. It is on their
 * prototype, so that a copy does not have it.
 */
export const inspectedTexts: unique symbol = Symbol("inspectedTexts");

/**
 * Reads the effect of a tool from the hints of its server; only for a server that the host trusts.
 * Hints that are missing mean the worst that they can mean, and so do hints that contradict each
 * other: a tool that changes something reaches beyond the server unless `openWorldHint` is `false`,
 * and "read-only" beside "destructive" says nothing.
 */
export function effectOfHints({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  openWorldHint,
}: ToolAnnotations): ToolEffect {
  if (readOnlyHint === true) return destructiveHint === true ? "external" : "pure";
  if (idempotentHint === true) return "idempotent-write";
  return openWorldHint === false ? "non-idempotent-write" : "external";
}

const known: Readonly<Record<ToolEffect, true>> = {
  pure: true,
  "idempotent-write": true,
  "non-idempotent-write": true,
  external: true,
};

/** All of them, the least harmful first. */
export const toolEffects: readonly string[] = Object.keys(known);

/** Whether a value is a {@linkcode ToolEffect}. */
export function isToolEffect(value: unknown): value is ToolEffect {
  return typeof value === "string" && Object.hasOwn(known, value);
}

/**
 * Whether two definitions are the same to whoever selects or calls the tool: all their members mean
 * the same, whatever their order. The fingerprint and the entry that it is made of do not count: a
 * copy has none, and what they tell of is for those who pin it.
 */
export function sameDefinition(a: ToolDefinition, b: ToolDefinition): boolean {
  return a === b || sameJson(withoutFingerprint(a), withoutFingerprint(b));
}

// Never reads it: it may cost a hash.
function withoutFingerprint(definition: ToolDefinition): object {
  const isListed = (member: string): boolean => Object.prototype.propertyIsEnumerable.call(definition, member);
  if (!isListed("fingerprint") && !isListed("entry")) return definition;
  const others = Object.entries(definition).filter(([member]) => member !== "fingerprint" && member !== "entry");
  return Object.fromEntries(others);
}
