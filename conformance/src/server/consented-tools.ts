import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { RawListing } from "./raw-listing.ts";
import type { Answer, StdioSession } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** Which tools the kit may call. */
export interface CallConsent {
  /** Tools that the author named, with arguments if given. */
  readonly named: ReadonlyMap<string, JsonObject | undefined>;
  /** `true`: every tool, with arguments made from its schema. */
  readonly all: boolean;
}

/** A server's tools, and which of them may be called. */
export interface ToolsWithConsent {
  readonly consent: CallConsent;
  readonly listing: () => Promise<RawListing>;
}

/** A tool that the kit may call, with arguments for it. */
export interface ConsentedTool {
  readonly name: string;
  readonly args: JsonObject;
  readonly definition: JsonObject;
}

/**
 * The tools that may be called: those that declare themselves read-only, that the author named, or
 * all with `--allow-calls`. A tool for whose required parameters nothing can be made up is left
 * out, unless the author gave its arguments.
 */
export async function consentedTools({ consent, listing }: ToolsWithConsent): Promise<readonly ConsentedTool[]> {
  const { items } = await listing();
  return items.flatMap((definition) => {
    const { name } = definition;
    if (typeof name !== "string" || !mayCall(definition, consent)) return [];
    const args = consent.named.get(name) ?? makeArguments(definition["inputSchema"]);
    return args ? [{ name, args, definition }] : [];
  });
}

/**
 * Tools that the author named and that the server does not list; none while its list cannot be
 * read.
 */
export async function unknownTools({ consent, listing }: ToolsWithConsent): Promise<readonly string[]> {
  if (consent.named.size === 0) return [];
  const { items, broken } = await listing();
  const names = new Set(items.map(({ name }) => name));
  return broken === undefined ? Array.from(consent.named.keys()).filter((name) => !names.has(name)) : [];
}

/** Why there are tools, but no consented ones, and what the user can do about it. */
export async function adviseConsent({ consent, listing }: ToolsWithConsent): Promise<string> {
  const { items } = await listing();
  return items.some((definition) => mayCall(definition, consent))
    ? "no arguments can be made up for a tool that may be called; give them with --call NAME='{…}'"
    : "no tool declares itself read-only; name one with --call, or allow all with --allow-calls";
}

function mayCall({ name, annotations }: JsonObject, { named, all }: CallConsent): boolean {
  if (all || (typeof name === "string" && named.has(name))) return true;
  return isJsonObject(annotations) && annotations["readOnlyHint"] === true && annotations["destructiveHint"] !== true;
}

/**
 * The smallest arguments that satisfy a schema's required properties; `undefined` when the kit
 * cannot tell.
 */
export function makeArguments(schema: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((key) => typeof key === "string") : [];
  const values = new Map<string, JsonValue>();
  for (const key of required) {
    const value = makeValue(Object.hasOwn(properties, key) ? properties[key] : undefined);
    if (value === undefined) return undefined;
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

function makeValue(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined;
  for (const given of [schema["const"], schema["default"], firstOf(schema["examples"]), firstOf(schema["enum"])]) {
    if (given !== undefined) return given;
  }
  switch (firstOf(schema["type"]) ?? schema["type"]) {
    case "string":
      // A path, address or pattern cannot be made up; plain text can.
      return schema["format"] === undefined && schema["pattern"] === undefined
        ? "x".repeat(atLeast(schema["minLength"], 1))
        : undefined;
    case "integer":
    case "number":
      return atLeast(schema["minimum"], 1);
    case "boolean":
      return false;
    case "array":
      return atLeast(schema["minItems"], 0) === 0 ? [] : undefined;
    case "object":
      return makeArguments(schema);
    case "null":
      return null;
    default:
      return undefined;
  }
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[])[0] : undefined;
}

function atLeast(value: JsonValue | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

/** A call and what became of it. */
export interface MadeCall {
  readonly tool: ConsentedTool;
  readonly answer: Answer;
  readonly durationMs: number;
}

/** One call of each tool that may be called. */
export interface ToolCalls {
  /** On this session, which served nothing else. */
  readonly ready: ReadySession;
  readonly calls: readonly MadeCall[];
  /** How many lines that are no message had been on stdout before the first call; 0 over HTTP. */
  readonly anomaliesBefore: number;
}

// Read-only tools are cheap, but a server may have hundreds of them.
const mostCalled = 10;

/**
 * Calls the tools that may be called, all at once, on a session of their own. What takes longer
 * than an answer may take is silence. `undefined` when no tool may be called.
 */
export async function callTools(
  target: ToolsWithConsent & { openReady(): Promise<ReadySession> },
): Promise<ToolCalls | undefined> {
  const tools = (await consentedTools(target)).slice(0, mostCalled);
  if (tools.length === 0) return undefined;
  const ready = await target.openReady();
  const anomaliesBefore = "anomalies" in ready.session ? (ready.session as StdioSession).anomalies.length : 0;
  const calls = await Promise.all(
    tools.map(async (tool) => {
      const startedAt = performance.now();
      const answer = await callTool(ready, tool, tool.args);
      return { tool, answer, durationMs: performance.now() - startedAt };
    }),
  );
  return { ready, calls, anomaliesBefore };
}

/** Calls one tool; `undefined` leaves the arguments out. */
export function callTool(
  { request }: ReadySession,
  { name }: ConsentedTool,
  args: JsonObject | undefined,
): Promise<Answer> {
  return request("tools/call", { name, ...(args && { arguments: args }) });
}
