import { defaultLimits, type ServerLimits, type ToolOverride } from "@hostside/core";
import type { ConfiguredServer, ServerDraft, ServerExtras } from "../drafts/configured-server.ts";

type Members<T> = T extends unknown ? keyof T : never;

/** Returns the part of a project's value that is used; `undefined`: nothing. */
type Tighten = (value: never) => unknown;

const any = (value: unknown): unknown => value;
const only =
  (...values: readonly unknown[]) =>
  (value: unknown): unknown =>
    values.includes(value) ? value : undefined;
const none = (): undefined => undefined;

/**
 * The members that a project's file may set in an entry: what its server is, and what the host
 * allows it less than by default. A member that is not here does not compile.
 */
const draftRules: Readonly<Record<Members<ServerDraft>, Tighten>> = {
  id: any,
  type: any,
  command: any,
  args: any,
  env: any,
  // Shown in the question of trust.
  inheritEnv: any,
  cwd: any,
  url: any,
  headers: any,
  bearerToken: any,
  tls: any,
  auth: any,
  mode: any,
  era: any,
  allow: any,
  deny: any,
  disabled: any,
  startup: any,
  concurrency: any,
  timeouts: any,
  elicitation: any,
  tools: tightenTools,
  limits: tightenLimits,
  trustAnnotations: only(false),
  sharing: only("principal", "conversation"),
  // These are the host's own words.
  title: none,
  labels: none,
  required: only(false),
};

const extraRules: Readonly<Record<keyof ServerExtras, Tighten>> = {
  envFile: any,
  oauth: any,
  approval: only("always"),
  passContext: only(false),
  breaker: any,
};

const toolRules: Readonly<Record<keyof ToolOverride, Tighten>> = {
  effect: only("external"),
  requireApproval: only(true),
  title: none,
  description: none,
};

/** An entry as it may be used, and the members of it that are not. */
export interface TightenedEntry {
  readonly server: ConfiguredServer;
  readonly ignored: readonly string[];
}

/**
 * The entry of a project's file with nothing in it that loosens what the host allows, and with what
 * the entries say that it is used in place of, as far as that is stricter. Pure.
 */
export function tightenEntry(server: ConfiguredServer, over: readonly ConfiguredServer[] = []): TightenedEntry {
  const draft = tighten(server.draft, draftRules);
  const extras = tighten(server.extras, extraRules);
  const own = { draft: draft.value as unknown as ServerDraft, extras: extras.value };
  return { server: { ...server, ...over.reduce(narrow, own) }, ignored: [...draft.ignored, ...extras.ignored] };
}

type Entry = Pick<ConfiguredServer, "draft" | "extras">;

function narrow({ draft, extras }: Entry, over: Entry): Entry {
  const { allow = [], deny = [], tools = {}, elicitation } = over.draft;
  const wanted = draft.allow ?? [];
  const both = wanted.filter((name) => allow.includes(name));
  const asked = Object.entries(tools).filter(([, tool]) => tool.requireApproval === true);
  const approved = asked.map(([name]) => [name, { ...draft.tools?.[name], requireApproval: true }] as const);
  // An empty list allows all.
  const nothing = allow.length > 0 && wanted.length > 0 && both.length === 0 ? wanted : [];
  return {
    draft: {
      ...draft,
      ...(allow.length > 0 && { allow: wanted.length === 0 ? allow : both }),
      ...(nothing.length > 0 && { allow: wanted }),
      ...(deny.length + nothing.length > 0 && { deny: [...(draft.deny ?? []), ...deny, ...nothing] }),
      ...(approved.length > 0 && { tools: { ...draft.tools, ...Object.fromEntries(approved) } }),
      ...(elicitation === false && { elicitation }),
    },
    extras: {
      ...extras,
      ...(over.extras.approval === "always" && { approval: "always" }),
      ...(over.extras.passContext === false && { passContext: false }),
    },
  };
}

function tighten(record: object, rules: Readonly<Record<string, Tighten>>) {
  const ignored: string[] = [];
  const members = Object.entries(record).flatMap(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : none;
    const used = rule?.(value as never);
    if (value !== undefined && JSON.stringify(used) !== JSON.stringify(value)) ignored.push(name);
    return used === undefined ? [] : [[name, used] as const];
  });
  return { value: Object.fromEntries(members) as Readonly<Record<string, unknown>>, ignored };
}

function tightenTools(tools: Readonly<Record<string, ToolOverride>>): unknown {
  const used = Object.entries(tools).map(([name, tool]) => [name, tighten(tool, toolRules).value] as const);
  return Object.fromEntries(used.filter(([, tool]) => Object.keys(tool).length > 0));
}

function tightenLimits(limits: Partial<ServerLimits>): unknown {
  const names = Object.keys(limits) as (keyof ServerLimits)[];
  return Object.fromEntries(names.map((name) => [name, Math.min(limits[name] ?? Infinity, defaultLimits[name])]));
}
