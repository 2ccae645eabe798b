import type { StdioTransportSpec } from "@toolport/core";

/** Variables of this process that a child may see by default (AN-18): what programs need to run, nothing that tends to hold secrets. */
const safeVariables: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "TERM",
  "TMPDIR",
  "TZ",
  "SystemRoot",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
];

/** Names and values, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one server: what it inherits of `host` (`inheritEnv`, default `"safe"`), and the configured `env`, which wins.
 * On Windows, where names have no case, a configured `Path` replaces an inherited `PATH` instead of standing beside it.
 */
export function safeEnvironment(
  { env = {}, inheritEnv = "safe" }: Pick<StdioTransportSpec, "env" | "inheritEnv">,
  host: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const identity = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const safe = new Set(safeVariables.map(identity));
  const variables = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(inheritEnv === "none" ? {} : host)) {
    if (value === undefined) continue;
    if (inheritEnv === "all" || safe.has(identity(name))) variables.set(identity(name), [name, value]);
  }
  for (const [name, value] of Object.entries(env)) variables.set(identity(name), [name, value]);
  return Object.fromEntries(variables.values());
}
