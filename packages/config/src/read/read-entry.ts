import { longestTimeoutMs } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { isConfigMap, type ConfigData } from "../parse/config-data.ts";
import type { ParsedConfig } from "../parse/parsed-config.ts";
import { createDraftBuilder, type DraftBuilder } from "./draft-builder.ts";
import type { ConfigEntry } from "./entry.ts";
import { warnDockerRm, type ServerEntryRules, type TransportWord } from "./entry-rules.ts";
import type { ReadServer } from "./server-reader.ts";
import { meantBy, reportUnknownKeys } from "./unknown-keys.ts";

type TransportType = "stdio" | "http";

interface Choice {
  readonly type: TransportType;
  readonly mode?: "streamable" | "sse" | undefined;
}

/**
 * The entry of one server as a draft; `undefined` where it cannot be used, which its problems say.
 */
export function readEntry(
  entry: ConfigEntry,
  rules: ServerEntryRules,
  { id, parsed }: { readonly id: string; readonly parsed: ParsedConfig },
): ReturnType<ReadServer> {
  const { nested = "" } = rules;
  const inner = isConfigMap(entry.get(nested)) ? entry.entry(nested) : undefined;
  const transport = inner ?? entry;
  const off = reportUnknownKeys(
    entry,
    inner === undefined ? rules : { ...rules, typeKeys: [], commandKeys: [], urlKeys: [] },
  );
  for (const [key, meaning] of Object.entries(rules.unsupported ?? {})) {
    if (entry.has(key) && entry.get(key) !== false) entry.warn(key, { code: "unsupported", message: meaning });
  }
  const innerOff =
    inner && reportUnknownKeys(inner, { ...innerRules(rules), title: `the ${nested} of ${rules.title}` });
  const choice = chooseTransport(transport, rules);
  if (choice === undefined) return undefined;
  reportUnused(transport, rules, choice.type);
  const draft = createDraftBuilder(choice.type, parsed.positionOf);
  if (choice.type === "stdio") readStdio(transport, rules, draft);
  else readHttp(transport, rules, { draft, mode: choice.mode });
  if (inner !== undefined && choice.type === "stdio")
    readMembers(entry, draft, { key: rules.envKey ?? "env", field: "env" });
  else if (inner !== undefined) reportUnused(entry, { ...rules, commandKeys: [] }, choice.type);
  readCommon(entry, rules, draft);
  const marked = off ?? innerOff;
  if (marked !== undefined) draft.set("disabled", true, marked);
  rules.extra?.(entry, draft, { type: choice.type, transport });
  return entry.failed() ? undefined : draft.build(id);
}

// What belongs to the transport alone.
function innerRules({
  typeKeys,
  types,
  untypedUrl,
  commandKeys,
  envKey,
  urlKeys,
  headersKey,
  cwd,
  unknown,
  innerOthers,
}: ServerEntryRules) {
  const others = innerOthers ?? [];
  return { typeKeys, types, untypedUrl, commandKeys, envKey, urlKeys, headersKey, cwd, unknown, others };
}

// What is there for the other transport: an `Authorization` that is never sent is nothing to keep
// quiet about.
function reportUnused(entry: ConfigEntry, rules: ServerEntryRules, type: TransportType): void {
  const { commandKeys = ["command"], urlKeys = ["url"], envKey = "env", headersKey = "headers" } = rules;
  for (const name of type === "stdio"
    ? [...urlKeys, headersKey]
    : [...commandKeys, ...(commandKeys.length === 0 ? [] : ["args"]), envKey]) {
    if (!isFilled(entry.get(name))) continue;
    const message = `${name} means nothing for a server over ${type === "stdio" ? "stdio" : "HTTP"}, and is not used`;
    entry.warn(name, { code: "conflicting_fields", message, fix: "remove it" });
  }
}

function isFilled(value: ConfigData | undefined): boolean {
  if (isConfigMap(value)) return value.size > 0;
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function chooseTransport(entry: ConfigEntry, rules: ServerEntryRules): Choice | undefined {
  const typeKey = (rules.typeKeys ?? ["type"]).find((key) => entry.has(key));
  const commandKey = keyOf(entry, rules.commandKeys ?? ["command"]);
  const urlKey = keyOf(entry, rules.urlKeys ?? ["url"]);
  if (typeKey !== undefined) return chooseByWord(entry, rules, typeKey);
  if (commandKey !== undefined && urlKey !== undefined && rules.both !== "stdio") {
    entry.error(urlKey, {
      code: "conflicting_fields",
      message: `has both ${commandKey} and ${urlKey}`,
      fix: "remove one of them",
    });
    return undefined;
  }
  if (commandKey !== undefined) return { type: "stdio" };
  if (urlKey !== undefined && rules.urls === false) {
    entry.error(urlKey, {
      code: "unsupported",
      message: `${rules.title} only starts programs, and has no servers behind a URL`,
    });
    return undefined;
  }
  if (urlKey === undefined) {
    const { missing } = rules;
    const message =
      missing?.both ?? `has neither ${(rules.commandKeys ?? ["command"])[0]} nor ${(rules.urlKeys ?? ["url"])[0]}`;
    entry.error("", { code: "missing_field", message, fix: misspelt(entry, rules) });
    return undefined;
  }
  return chooseForUrl(entry, rules, urlKey);
}

function misspelt(
  entry: ConfigEntry,
  { commandKeys = ["command"], urlKeys = ["url"] }: ServerEntryRules,
): string | undefined {
  const known = [...commandKeys, ...urlKeys];
  for (const name of entry.names) {
    const meant = meantBy(name, known);
    if (meant !== undefined) return `write ${meant} in place of ${quoteText(name, 40)}`;
  }
  return undefined;
}

function chooseForUrl(entry: ConfigEntry, { untypedUrl, title }: ServerEntryRules, urlKey: string): Choice | undefined {
  switch (untypedUrl) {
    case "error":
      entry.error(urlKey, {
        code: "untyped_url",
        message: `${title} does not use a URL without a type`,
        fix: 'add "type": "http"',
      });
      return undefined;
    case "unsure":
      entry.warn(urlKey, {
        code: "untyped_url",
        message: `the URL has no type, and is taken for HTTP`,
        fix: 'add "type": "http" or "type": "sse"',
      });
      return { type: "http" };
    case "sse":
      entry.warn(urlKey, {
        code: "untyped_url",
        message: `${title} takes a URL without a type for HTTP+SSE, and so is it here`,
        fix: "add a type",
      });
      return { type: "http", mode: "sse" };
    case "streamable":
      return { type: "http", mode: "streamable" };
    case "http":
      return { type: "http" };
  }
}

function chooseByWord(entry: ConfigEntry, rules: ServerEntryRules, typeKey: string): Choice | undefined {
  const written = entry.text(typeKey);
  if (written === undefined) return undefined;
  const word = rules.looseType === true ? written.trim().toLowerCase() : written;
  const meaning: TransportWord | undefined = Object.hasOwn(rules.types, word) ? rules.types[word] : undefined;
  switch (meaning) {
    case "stdio":
      return { type: "stdio" };
    case "http":
      return { type: "http" };
    case "streamable":
    case "sse":
      return { type: "http", mode: meaning };
    case "unsupported":
      entry.error(typeKey, {
        code: "unsupported",
        message: `${quoteText(written, 40)} is not a supported transport`,
      });
      return undefined;
    case undefined:
      entry.error(typeKey, { code: "unknown_transport", message: unknownType(written, rules) });
      return undefined;
  }
}

function unknownType(written: string, { types, looseType }: ServerEntryRules): string {
  const wanted = Object.entries(types).flatMap(([word, meaning]) =>
    meaning === "unsupported" ? [] : [JSON.stringify(word)],
  );
  const list = looseType === true ? wanted.join(" or ") : wanted.join(", ");
  return `unknown type ${quoteText(written, 40)} (want ${list})`;
}

function readStdio(entry: ConfigEntry, rules: ServerEntryRules, draft: DraftBuilder): void {
  const commandKey = keyOf(entry, rules.commandKeys ?? ["command"]) ?? "command";
  const isArgv = Array.isArray(entry.get(commandKey));
  const argv = isArgv ? (entry.texts(commandKey) ?? []) : [];
  const command = isArgv ? argv[0] : entry.text(commandKey);
  if (command === undefined || command.trim() === "") {
    if (!entry.failed())
      entry.error("", { code: "missing_field", message: rules.missing?.command ?? "stdio requires command" });
    return;
  }
  const written = entry.texts("args") ?? [];
  const args = [...argv.slice(1), ...written];
  draft.set("command", command, isArgv ? [...entry.at(commandKey), 0] : entry.at(commandKey));
  const paths = argv.slice(1).map((_, index) => [...entry.at(commandKey), index + 1]);
  if (args.length > 0) draft.arguments(args, [...paths, ...written.map((_, index) => [...entry.at("args"), index])]);
  readMembers(entry, draft, { key: rules.envKey ?? "env", field: "env" });
  const cwd = rules.cwd === true ? entry.text("cwd") : undefined;
  if (cwd !== undefined && cwd !== "") draft.set("cwd", cwd, entry.at("cwd"));
  const envFile = rules.envFile === true ? entry.text("envFile") : undefined;
  if (envFile !== undefined) {
    draft.extra("envFile", envFile);
    draft.place("envFile", entry.at("envFile"));
  }
  if (rules.inheritEnv !== undefined) draft.set("inheritEnv", rules.inheritEnv, entry.path);
  warnDockerRm(entry, command, args);
}

function readHttp(
  entry: ConfigEntry,
  rules: ServerEntryRules,
  { draft, mode }: { readonly draft: DraftBuilder; readonly mode: Choice["mode"] },
): void {
  const urlKey = keyOf(entry, rules.urlKeys ?? ["url"]) ?? "url";
  const url = entry.text(urlKey);
  if (url === undefined || url.trim() === "") {
    if (!entry.failed()) entry.error("", { code: "missing_field", message: rules.missing?.url ?? "http requires url" });
    return;
  }
  draft.set("url", url, entry.at(urlKey));
  for (const other of rules.urlKeys ?? []) {
    if (other === urlKey || !isFilled(entry.get(other))) continue;
    const message = `${other} is not used, because there is a ${urlKey}`;
    entry.warn(other, { code: "conflicting_fields", message, fix: "remove one of them" });
  }
  if (mode !== undefined) draft.set("mode", mode, entry.at((rules.typeKeys ?? ["type"]).find(entry.has) ?? urlKey));
  readMembers(entry, draft, { key: rules.headersKey ?? "headers", field: "headers" });
}

function readMembers(
  entry: ConfigEntry,
  draft: DraftBuilder,
  { key, field }: { readonly key: string; readonly field: "env" | "headers" },
): void {
  for (const [name, value] of entry.textMap(key) ?? []) draft.member(field, [name, value], [...entry.at(key), name]);
}

function readCommon(entry: ConfigEntry, rules: ServerEntryRules, draft: DraftBuilder): void {
  for (const { key, unit, field } of rules.timeouts ?? []) {
    const amount = entry.number(key);
    if (amount === undefined) continue;
    const ms = unit === "s" ? amount * 1000 : amount;
    if (ms > 0 && ms <= longestTimeoutMs) draft.timeout(field, ms, entry.at(key));
    else
      entry.warn(key, {
        code: "out_of_range",
        message: `timeout ${amount} is out of range, and not used`,
        fix: `above 0 and at most a day, in ${unit}`,
      });
  }
  const { off, allow, deny, autoApprove } = rules;
  if (off !== undefined && entry.flag(off.key) === off.when) draft.set("disabled", true, entry.at(off.key));
  const wanted = allow === undefined ? undefined : entry.texts(allow);
  if (allow !== undefined && wanted !== undefined) draft.set("allow", wanted, entry.at(allow));
  const unwanted = deny === undefined ? undefined : entry.texts(deny);
  if (deny !== undefined && unwanted !== undefined) draft.set("deny", unwanted, entry.at(deny));
  if (autoApprove !== undefined) readApproved(entry, autoApprove, draft);
}

function readApproved(entry: ConfigEntry, key: string, draft: DraftBuilder): void {
  for (const [index, name] of (entry.texts(key) ?? []).entries()) {
    if (name === "*") draft.extra("approval", "never");
    else draft.tool(name, { requireApproval: false }, [...entry.at(key), index]);
  }
}

function keyOf(entry: ConfigEntry, keys: readonly string[]): string | undefined {
  return keys.find((key) => entry.has(key));
}
