import type { ServerSpec } from "@hostside/core";
import type { DraftBuilder } from "./draft-builder.ts";
import type { ConfigEntry } from "./entry.ts";

/** The meaning of a word for a transport. */
export type TransportWord = "stdio" | "http" | "streamable" | "sse" | "unsupported";

/** A number of a dialect that is one of our timeouts. */
export interface TimeoutRule {
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
  /** Default `true`: the tool knows servers behind a URL. */
  readonly urls?: false | undefined;
  /**
   * A URL without a type: what it is, or `"error"`. `"unsure"`: HTTP, with a warning, because it is
   * not known.
   */
  readonly untypedUrl: "http" | "streamable" | "sse" | "unsure" | "error";
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
