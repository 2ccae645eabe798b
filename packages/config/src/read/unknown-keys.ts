import { differByOneSlip, quoteText, settingFields } from "@hostside/core/implement";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ConfigEntry } from "./entry.ts";
import { words, type FullEntryRules } from "./entry-rules.ts";

// What members of servers are called by one tool or another, and what a tool that does not know one
// of them leaves out.
const telling: ReadonlySet<string> = new Set(
  words(
    // And how people misspell them; YAML's merging is a name like any other.
    "arg argument arguments cmd commands envs environmentVariables envVars header params parameters uri <<",
    "allow allowedTools alwaysAllow autoApprove baseUrl bearerToken bearer_token bearer_token_env_var blockedTools command args cwd deny disabled",
    "disabledTools disabled_tools enabled enabledTools enabled_tools env envFile env_vars environment excludeTools exclude headers",
    "headersHelper httpUrl http_headers include includeTools inheritEnv oauth serverUrl timeout tools transport transportType trust type url",
  ),
);

/**
 * Reports members that the dialect does not know: refuses them as it does, or warns where
 * one would change something. Returns the place of one by which somebody has the server off: their
 * tool may start it all the same; to start it here would surprise them more than not to.
 */
export function reportUnknownKeys(entry: ConfigEntry, rules: FullEntryRules): ConfigPath | undefined {
  const known = knownKeys(rules);
  let off: ConfigPath | undefined;
  if (rules.unknown === "refused") {
    refuseUnknownKeys(entry, [...known], rules.title);
    return undefined;
  }
  for (const name of entry.names) {
    if (known.has(name)) continue;
    const meant = meantBy(name, known);
    const fix = adviceFor(name, meant, rules);
    const unread = `${rules.title} does not read ${quoteText(name, 40)}`;
    if (isOff(name, entry)) {
      off = entry.at(name);
      const message = `${unread}; the server is off here all the same`;
      entry.warn(name, { code: "unknown_key", message, fix: fix ?? "remove it if the server is to start" });
    } else if (meant !== undefined || telling.has(name) || (rules.unknown === "told" && !isRemark(name))) {
      entry.warn(name, { code: "unknown_key", message: `${unread}, so that it changes nothing`, fix });
    }
  }
  return off;
}

// A field of a server spec is no slip, so that a member of nearly its name is not what it means.
function adviceFor(name: string, meant: string | undefined, rules: FullEntryRules): string | undefined {
  const own = name === "allow" || name === "deny" ? rules[name] : undefined;
  const known = Object.hasOwn(settingFields, name) ? own : meant;
  return known === undefined ? undefined : `write ${known}`;
}

function isOff(name: string, entry: ConfigEntry): boolean {
  const word = plain(name);
  return (word === "disabled" && entry.get(name) === true) || (word === "enabled" && entry.get(name) === false);
}

/** The known member that somebody may have meant; `undefined` where none is like it. */
export function meantBy(name: string, known: Iterable<string>): string | undefined {
  const word = plain(name);
  const all = [...known];
  return (
    all.find((one) => plain(one) === word) ?? all.find((one) => word.length >= 3 && differByOneSlip(plain(one), word))
  );
}

// As people write comments into JSON.
function isRemark(name: string): boolean {
  return /^(?:[$_#]|\/\/)/.test(name);
}

/** Refuses members that an object cannot have. */
export function refuseUnknownKeys(entry: ConfigEntry, known: readonly string[], title: string): void {
  for (const name of entry.names) {
    if (known.includes(name)) continue;
    const message = `${title} has no ${quoteText(name, 40)}; known are ${known.join(", ")}`;
    const meant = meantBy(name, known);
    entry.error(name, { code: "unknown_key", message, fix: meant === undefined ? undefined : `write ${meant}` });
  }
}

function knownKeys(rules: FullEntryRules): ReadonlySet<string> {
  const { typeKeys, commandKeys, urlKeys, envKey, headersKey, nested, cwd, envFile, off } = rules;
  const { allow, deny, autoApprove, timeouts = [], unsupported = {}, others = [] } = rules;
  const named = [envKey, nested, off?.key, allow, deny, autoApprove];
  const listed = [...typeKeys, ...commandKeys, ...urlKeys, ...Object.keys(unsupported), ...others];
  const known = [
    ...named,
    ...listed,
    ...timeouts.map(({ key }) => key),
    // Where the transport is an object of its own, they are in there.
    commandKeys.length === 0 ? undefined : "args",
    urlKeys.length === 0 ? undefined : headersKey,
    cwd === true ? "cwd" : undefined,
    envFile === true ? "envFile" : undefined,
  ];
  return new Set(known.filter((key) => key !== undefined));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}
