import { longestTimeoutMs } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { isConfigMap, type ConfigData } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/config-problem.ts";
import { DraftBuilder } from "./draft-builder.ts";
import type { ConfigEntry } from "./entry.ts";
import {
  fillRules,
  warnDockerRm,
  type FullEntryRules,
  type ServerEntryRules,
  reportUnknownKeys,
} from "./unknown-keys.ts";
import type { ReadServer } from "./server-reader.ts";

interface Choice {
  readonly type: "stdio" | "http";
  readonly mode?: "streamable" | "sse" | undefined;
}

/**
 * The entry of one server as a draft; `undefined` where it cannot be used, which its problems say.
 */
export function readEntry(
  entry: ConfigEntry,
  given: ServerEntryRules,
  { id, parsed }: { readonly id: string; readonly parsed: ParsedConfig },
): ReturnType<ReadServer> {
  const rules = fillRules(given);
  const { nested = "" } = rules;
  const inner = isConfigMap(entry.get(nested)) ? entry.entry(nested) : undefined;
  const transport = inner ?? entry;
  const outside = inner === undefined ? rules : { ...rules, typeKeys: [], commandKeys: [], urlKeys: [] };
  const off = reportUnknownKeys(entry, outside);
  for (const [key, meaning] of Object.entries(rules.unsupported ?? {})) {
    if (entry.has(key) && entry.get(key) !== false) entry.warn(key, { code: "unsupported", message: meaning });
  }
  const innerOff = inner && reportUnknownKeys(inner, innerRules(rules));
  const choice = chooseTransport(transport, rules);
  if (choice === undefined) return undefined;
  reportUnused(transport, rules, choice.type);
  const draft = new DraftBuilder(choice.type, parsed.positionOf);
  if (choice.type === "stdio") readStdio(transport, rules, draft);
  else readHttp(transport, rules, { draft, mode: choice.mode });
  if (inner !== undefined && choice.type === "stdio") readMembers(entry, draft, { key: rules.envKey, field: "env" });
  else if (inner !== undefined) reportUnused(entry, { ...rules, commandKeys: [] }, choice.type);
  readCommon(entry, rules, draft);
  const marked = off ?? innerOff;
  if (marked !== undefined) draft.set("disabled", true, marked);
  rules.extra?.(entry, draft, { type: choice.type, transport });
  return entry.failed() ? undefined : draft.build(id);
}

// What belongs to the transport alone.
function innerRules(rules: FullEntryRules): FullEntryRules {
  const { title, nested = "", innerOthers: others = [] } = rules;
  const { types, untypedUrl, typeKeys, commandKeys, envKey, urlKeys, headersKey, cwd, unknown } = rules;
  const names = { typeKeys, commandKeys, envKey, urlKeys, headersKey };
  return { title: `the ${nested} of ${title}`, types, untypedUrl, ...names, cwd, unknown, others };
}

// What is there for the other transport: an `Authorization` that is never sent is nothing to keep
// quiet about.
function reportUnused(entry: ConfigEntry, rules: FullEntryRules, type: Choice["type"]): void {
  const { commandKeys, urlKeys, envKey, headersKey } = rules;
  const ofStdio = [...commandKeys, ...(commandKeys.length === 0 ? [] : ["args"]), envKey];
  for (const name of type === "stdio" ? [...urlKeys, headersKey] : ofStdio) {
    if (!isFilled(entry.get(name))) continue;
    const message = `${name} means nothing for a server over ${type === "stdio" ? "stdio" : "HTTP"}, and is not used`;
    entry.warn(name, { code: "conflicting_fields", message, fix: "remove it" });
  }
}

function isFilled(value: ConfigData | undefined): boolean {
  if (isConfigMap(value)) return value.size > 0;
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function chooseTransport(entry: ConfigEntry, rules: FullEntryRules): Choice | undefined {
  const { title, commandKeys, urlKeys } = rules;
  const typeKey = rules.typeKeys.find(entry.has);
  const commandKey = commandKeys.find(entry.has);
  const urlKey = urlKeys.find(entry.has);
  if (typeKey !== undefined) return chooseByWord(entry, rules, typeKey);
  if (commandKey !== undefined && urlKey !== undefined && rules.both !== "stdio") {
    const message = `has both ${commandKey} and ${urlKey}`;
    entry.error(urlKey, { code: "conflicting_fields", message, fix: "remove one of them" });
    return undefined;
  }
  if (commandKey !== undefined) return { type: "stdio" };
  if (urlKey === undefined) {
    const message = rules.missing?.both ?? `has neither ${commandKeys[0]} nor ${urlKeys[0]}`;
    entry.error("", { code: "missing_field", message });
    return undefined;
  }
  const { choice, says, fix } = untypedUrls[rules.untypedUrl];
  const code = rules.untypedUrl === "none" ? "unsupported" : "untyped_url";
  const finding = { code, message: says?.replace("TOOL", title) ?? "", fix } as const;
  if (choice === undefined) entry.error(urlKey, finding);
  else if (says !== undefined) entry.warn(urlKey, finding);
  return choice;
}

/** The meaning of a URL without a type, and the message about it. */
const untypedUrls: Readonly<
  Record<ServerEntryRules["untypedUrl"], { readonly choice?: Choice; readonly says?: string; readonly fix?: string }>
> = {
  none: { says: "TOOL only starts programs, and has no servers behind a URL" },
  error: { says: "TOOL does not use a URL without a type", fix: 'add "type": "http"' },
  unsure: {
    choice: { type: "http" },
    says: "the URL has no type, and is taken for HTTP",
    fix: 'add "type": "http" or "type": "sse"',
  },
  sse: {
    choice: { type: "http", mode: "sse" },
    says: "TOOL takes a URL without a type for HTTP+SSE, and so is it here",
    fix: "add a type",
  },
  streamable: { choice: { type: "http", mode: "streamable" } },
  http: { choice: { type: "http" } },
};

function chooseByWord(entry: ConfigEntry, rules: FullEntryRules, typeKey: string): Choice | undefined {
  const { types, looseType } = rules;
  const written = entry.text(typeKey);
  if (written === undefined) return undefined;
  const word = looseType === true ? written.trim().toLowerCase() : written;
  const meaning = Object.hasOwn(types, word) ? types[word] : undefined;
  if (meaning === "stdio" || meaning === "http") return { type: meaning };
  if (meaning === "streamable" || meaning === "sse") return { type: "http", mode: meaning };
  const shown = quoteText(written, 40);
  const wanted = Object.keys(types).filter((one) => types[one] !== "unsupported");
  const list = wanted.map((one) => JSON.stringify(one)).join(looseType === true ? " or " : ", ");
  if (meaning === undefined) {
    entry.error(typeKey, { code: "unknown_transport", message: `unknown type ${shown} (want ${list})` });
  } else entry.error(typeKey, { code: "unsupported", message: `${shown} is not a supported transport` });
  return undefined;
}

function readStdio(entry: ConfigEntry, rules: FullEntryRules, draft: DraftBuilder): void {
  const commandKey = rules.commandKeys.find(entry.has) ?? "command";
  const isArgv = Array.isArray(entry.get(commandKey));
  const argv = isArgv ? (entry.texts(commandKey) ?? []) : [];
  const command = isArgv ? argv[0] : entry.text(commandKey);
  if (isBlank(command)) return reportMissing(entry, rules.missing?.command ?? "stdio requires command");
  const written = entry.texts("args") ?? [];
  const args = [...argv.slice(1), ...written];
  draft.set("command", command, isArgv ? entry.at(commandKey, 0) : entry.at(commandKey));
  const paths = argv.slice(1).map((_, index) => entry.at(commandKey, index + 1));
  if (args.length > 0) draft.arguments(args, [...paths, ...written.map((_, index) => entry.at("args", index))]);
  readMembers(entry, draft, { key: rules.envKey, field: "env" });
  const cwd = rules.cwd === true ? entry.text("cwd") : undefined;
  draft.set("cwd", cwd === "" ? undefined : cwd, entry.at("cwd"));
  if (rules.envFile === true && entry.has("envFile")) {
    draft.extra("envFile", entry.text("envFile"));
    draft.place("envFile", entry.at("envFile"));
  }
  draft.set("inheritEnv", rules.inheritEnv, entry.path);
  warnDockerRm(entry, command, args);
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === "";
}

function reportMissing(entry: ConfigEntry, message: string): void {
  if (!entry.failed()) entry.error("", { code: "missing_field", message });
}

function readHttp(
  entry: ConfigEntry,
  rules: FullEntryRules,
  { draft, mode }: { readonly draft: DraftBuilder; readonly mode: Choice["mode"] },
): void {
  const urlKey = rules.urlKeys.find(entry.has) ?? "url";
  const url = entry.text(urlKey);
  if (isBlank(url)) return reportMissing(entry, rules.missing?.url ?? "http requires url");
  draft.set("url", url, entry.at(urlKey));
  for (const other of rules.urlKeys) {
    if (other === urlKey || !isFilled(entry.get(other))) continue;
    const message = `${other} is not used, because there is a ${urlKey}`;
    entry.warn(other, { code: "conflicting_fields", message, fix: "remove one of them" });
  }
  draft.set("mode", mode, entry.at(rules.typeKeys.find(entry.has) ?? urlKey));
  readMembers(entry, draft, { key: rules.headersKey, field: "headers" });
}

function readMembers(
  entry: ConfigEntry,
  draft: DraftBuilder,
  { key, field }: { readonly key: string; readonly field: "env" | "headers" },
): void {
  for (const [name, value] of entry.textMap(key) ?? []) draft.member(field, [name, value], entry.at(key, name));
}

function readCommon(entry: ConfigEntry, rules: ServerEntryRules, draft: DraftBuilder): void {
  for (const { key, unit, field } of rules.timeouts ?? []) {
    const amount = entry.number(key);
    if (amount === undefined) continue;
    const ms = unit === "s" ? amount * 1000 : amount;
    const isUsed = ms > 0 && ms <= longestTimeoutMs;
    draft.timeout(field, isUsed ? ms : undefined, entry.at(key));
    const message = `timeout ${amount} is out of range, and not used`;
    if (!isUsed) entry.warn(key, { code: "out_of_range", message, fix: `above 0 and at most a day, in ${unit}` });
  }
  const { off, allow, deny, autoApprove } = rules;
  if (off !== undefined && entry.flag(off.key) === off.when) draft.set("disabled", true, entry.at(off.key));
  if (allow !== undefined) draft.set("allow", entry.texts(allow), entry.at(allow));
  if (deny !== undefined) draft.set("deny", entry.texts(deny), entry.at(deny));
  if (autoApprove !== undefined) readApproved(entry, autoApprove, draft);
}

function readApproved(entry: ConfigEntry, key: string, draft: DraftBuilder): void {
  for (const [index, name] of (entry.texts(key) ?? []).entries()) {
    if (name === "*") draft.extra("approval", "never");
    else draft.tool(name, { requireApproval: false }, entry.at(key, index));
  }
}
