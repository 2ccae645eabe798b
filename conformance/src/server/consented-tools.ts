import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Finding } from "../engine/check.ts";
import type { UncalledTool } from "../engine/run-report.ts";
import type { RawListing } from "./raw-listing.ts";
import type { Answer } from "./raw-session.ts";
import { endAfter, type ReadySession } from "./ready-session.ts";

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

/** Tools that are listed and not called, and the options that have them called. */
export async function uncalledTools(target: ToolsWithConsent): Promise<readonly UncalledTool[]> {
  const called = new Set((await consentedTools(target)).slice(0, mostCalled).map(({ definition }) => definition));
  const { items } = await target.listing();
  return items.flatMap((definition) => {
    const { name, annotations } = definition;
    if (typeof name !== "string" || called.has(definition)) return [];
    const canMake = makeArguments(definition["inputSchema"]) !== undefined;
    const remedy = `--call ${shellWord(canMake ? name : `${name}={…}`)}`;
    if (!mayCall(definition, target.consent)) {
      const isReadOnly = isJsonObject(annotations) && annotations["readOnlyHint"] === true;
      return [{ name, reason: isReadOnly ? "destructiveHint: true" : "no readOnlyHint", remedy }];
    }
    if (!canMake && !target.consent.named.get(name)) return [{ name, reason: "no arguments can be made up", remedy }];
    return [{ name, reason: `${mostCalled} others were called` }];
  });
}

function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function mayCall(definition: JsonObject, { named, all }: CallConsent): boolean {
  const { name } = definition;
  return all || (typeof name === "string" && named.has(name)) || isReadOnly(definition);
}

/** Whether a tool says of itself that it changes nothing. */
export function isReadOnly({ annotations }: JsonObject): boolean {
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
  /** In place of an answer, while others ran; alone it was answered. */
  readonly together?: Answer;
}

/** One call of each tool that may be called. */
export interface ToolCalls {
  /** On this session, which served nothing else. */
  readonly ready: ReadySession;
  readonly calls: readonly MadeCall[];
}

// Read-only tools are cheap, but a server may have hundreds of them.
const mostCalled = 10;

interface CallTarget extends ToolsWithConsent {
  readonly quickMs: number;
  openReady(): Promise<ReadySession>;
}

/**
 * Calls the tools that may be called, all at once, on a session of their own. What takes longer
 * than `quickMs` is silence. `undefined` when no tool may be called. A tool that
 * gets no answer is called again alone; where the process ends during the calls or right after
 * them, each of them in a process of its own, which tells which of them it is.
 */
export async function callTools(target: CallTarget): Promise<ToolCalls | undefined> {
  const tools = (await consentedTools(target)).slice(0, mostCalled);
  if (tools.length === 0) return undefined;
  const ready = await target.openReady();
  const calls = await Promise.all(tools.map((tool) => timeCall(ready, tool, target)));
  const isDead = (await endAfter(ready)) !== undefined;
  const alone: MadeCall[] = [];
  for (const call of calls) alone.push(await callAlone(call, { ready, isDead, target }));
  return { ready, calls: alone };
}

async function callAlone(
  call: MadeCall,
  { ready, isDead, target }: { readonly ready: ReadySession; readonly isDead: boolean; readonly target: CallTarget },
): Promise<MadeCall> {
  if (isDead) {
    const own = await target.openReady();
    const again = await timeCall(own, call.tool, target);
    const gone = again.answer.kind === "gone" ? undefined : await endAfter(own);
    return gone ? { ...again, answer: { ...gone, reason: `answered, and then ${gone.reason}` } } : again;
  }
  if (call.answer.kind !== "http") return call;
  const again = await timeCall(ready, call.tool, target);
  return again.answer.kind === "http" ? call : { ...again, together: call.answer };
}

async function timeCall(ready: ReadySession, tool: ConsentedTool, { quickMs }: CallTarget): Promise<MadeCall> {
  const startedAt = performance.now();
  const params = { name: tool.name, arguments: tool.args };
  const answer = await ready.request("tools/call", params, { timeoutMs: quickMs });
  return { tool, answer, durationMs: performance.now() - startedAt };
}

/** Calls one tool; `undefined` leaves the arguments out. */
export function callTool(
  { request }: ReadySession,
  { name }: ConsentedTool,
  args: JsonObject | undefined,
): Promise<Answer> {
  return request("tools/call", { name, ...(args && { arguments: args }) });
}

/** Why a check that needs a call does not apply: there is no tool, or none may be called. */
export async function noConsent({ consent, listing }: ToolsWithConsent): Promise<Finding> {
  const { items } = await listing();
  if (items.length === 0) return { status: "not-applicable", reason: "the server lists no tools" };
  const reason = items.some((definition) => mayCall(definition, consent))
    ? "no arguments can be made up for a tool that may be called; give them with --call NAME='{…}'"
    : "no tool declares itself read-only; name one with --call, or allow all with --allow-calls";
  return { status: "not-applicable", reason, wants: "tool-calls" };
}

/**
 * Whether a call got nothing that answers it. That a token does not reach this far is an answer: a
 * check of its own says whether it is well put.
 */
export function isNoAnswer(answer: Answer): boolean {
  // A tool at work is silent; one that has answered, and not as JSON-RPC has it, is done.
  if (answer.kind === "silence") return answer.instead !== undefined;
  return (
    answer.kind === "gone" || (answer.kind === "http" && !(answer.status === 403 && answer.challenge !== undefined))
  );
}

/** What an answer says, to be compared. */
export function textOf(answer: Answer): string {
  return JSON.stringify(
    answer.kind === "result" ? answer.result : answer.kind === "error" ? [answer.code, answer.text] : answer.kind,
  );
}
