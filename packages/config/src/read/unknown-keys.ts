import { differByOneSlip, quoteText, settingFields } from "@hostside/core/implement";
import type { ConfigPath } from "../parse/config-data.ts";
import type { ConfigEntry } from "./entry.ts";
import type { ServerSpec } from "@hostside/core";
import type { DraftBuilder } from "./draft-builder.ts";

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
function meantBy(name: string, known: Iterable<string>): string | undefined {
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

/** The meaning of a word for a transport. */
type TransportWord = "stdio" | "http" | "streamable" | "sse" | "unsupported";

/** A number of a dialect that is one of our timeouts. */
interface TimeoutRule {
  readonly key: string;
  readonly unit: "s" | "ms";
  readonly field: keyof NonNullable<ServerSpec["timeouts"]>;
}

/** The transport of an entry. */
export interface ChosenTransport {
  readonly type: "stdio" | "http";
  /** The entry itself, or the object in it that the transport is in. */
  readonly transport: ConfigEntry;
}

/** The form of a server's entry in a dialect, as data. */
export interface ServerEntryRules {
  /** As people call the tool. */
  readonly title: string;
  /** The member that says which transport. Default `["type"]`; the first that is there counts. */
  readonly typeKeys?: readonly string[] | undefined;
  readonly types: Readonly<Record<string, TransportWord>>;
  /**
   * A URL without a type: what it is, or `"error"`. `"unsure"`: HTTP, with a warning, because it is
   * not known.
   */
  readonly untypedUrl: "http" | "streamable" | "sse" | "unsure" | "error" | "none";
  /** Both a command and a URL, and no type: what counts. Default `"error"`. */
  readonly both?: "stdio" | "error" | undefined;
  /**
   * The member that the transport is in, where it is an object of its own. The members known there
   * are `type`, command, arguments, URL and headers.
   */
  readonly nested?: string | undefined;
  readonly commandKeys?: readonly string[] | undefined;
  /** Default `["env"]`. */
  readonly envKey?: string | undefined;
  /** Default `["url"]`. The first that is there counts. */
  readonly urlKeys?: readonly string[] | undefined;
  /** Default `"headers"`. */
  readonly headersKey?: string | undefined;
  readonly cwd?: boolean | undefined;
  readonly envFile?: boolean | undefined;
  readonly timeouts?: readonly TimeoutRule[] | undefined;
  /** The member that switches a server off, and the value that does. */
  readonly off?: { readonly key: string; readonly when: boolean } | undefined;
  readonly allow?: string | undefined;
  readonly deny?: string | undefined;
  /** Tools that run without asking; `"*"` is all of them. */
  readonly autoApprove?: string | undefined;
  /**
   * Members that say something that nothing here does, and what that means. Warned about where they
   * are there and not `false`.
   */
  readonly unsupported?: Readonly<Record<string, string>> | undefined;
  /** Other members that the dialect has. */
  readonly others?: readonly string[] | undefined;
  /** Other members that its nested transport has. */
  readonly innerOthers?: readonly string[] | undefined;
  /**
   * `"refused"`: a member that the dialect does not know costs the server. `"told"`: each is a
   * warning. Default: a warning where it looks as if it mattered.
   */
  readonly unknown?: "refused" | "told" | undefined;
  readonly inheritEnv?: "all" | undefined;
  /** The messages of the dialect for a missing command or URL. */
  readonly missing?: { readonly command: string; readonly url: string; readonly both: string } | undefined;
  /** True if the word for a transport may have capitals and spaces around it. */
  readonly looseType?: boolean | undefined;
  /** Reads the members that only this dialect has. */
  readonly extra?: ((entry: ConfigEntry, draft: DraftBuilder, chosen: ChosenTransport) => void) | undefined;
}

/** Rules with the names that most tools have in place of those that are not given. */
export type FullEntryRules = ServerEntryRules &
  Required<{ [Key in keyof typeof commonNames]: NonNullable<ServerEntryRules[Key]> }>;

const commonNames = {
  typeKeys: ["type"],
  commandKeys: ["command"],
  urlKeys: ["url"],
  envKey: "env",
  headersKey: "headers",
} as const;

/** See {@linkcode FullEntryRules}. */
export function fillRules(rules: ServerEntryRules): FullEntryRules {
  return { ...commonNames, ...rules } as FullEntryRules;
}

/**
 * Warns about a container that stays behind each time its server ends: `docker run` without `--rm`,
 * wherever the program is.
 */
export function warnDockerRm(entry: ConfigEntry, command: string, args: readonly string[]): void {
  const program = command
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.exe$/i, "");
  if (program === undefined || !/^(?:docker|podman|nerdctl)$/.test(program) || !args.includes("run")) return;
  if (args.some((argument) => argument === "--rm" || argument.startsWith("--rm="))) return;
  entry.warn("args", {
    code: "missing_rm",
    message: `${program} run without --rm leaves a container behind at each start`,
    fix: 'add "--rm"',
  });
}

/** Names that are written in a row. */
export function words(...rows: readonly string[]): readonly string[] {
  return rows.flatMap((row) => row.split(" "));
}
