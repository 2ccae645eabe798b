import type { StdioEntry } from "@hostside/core";

/**
 * Variables of this process that a child may see by default: what programs need to run, to reach
 * the network and to trust it, and nothing that tends to hold secrets.
 */
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
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
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

// Programs read them in either case.
const proxyVariable = /^(?:https?|all|no)_proxy$/i;
// What npm reads as its settings; `npx` needs those of a company's registry. Its credentials have
// these words in their names.
const npmSetting = /^npm_config_/i;
const npmSecret = /auth|token|passw|secret|cert|otp|key/i;

/** Names and values, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one server: what it inherits of `host` (`inheritEnv`, default `"safe"`), and
 * the configured `env`, which wins. A proxy or registry whose URL has credentials in it is not
 * inherited: a server that is to know them is given them. On Windows, where names have no case, a
 * configured `Path` replaces an inherited `PATH` instead of standing beside it.
 */
export function safeEnvironment(
  { env = {}, inheritEnv = "safe" }: Pick<StdioEntry, "env" | "inheritEnv">,
  host: Environment,
  platform: string,
): Record<string, string> {
  const identity = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const safe = new Set(safeVariables.map(identity));
  const variables = new Map<string, readonly [name: string, value: string]>();
  // Names first: each value of the process's own is asked of the system.
  for (const name of inheritEnv === "none" ? [] : Object.keys(host)) {
    const isSafe = inheritEnv === "all" || safe.has(identity(name));
    const value = isSafe || isSetting(name) ? host[name] : undefined;
    if (value === undefined || (!isSafe && mayHoldCredentials(value))) continue;
    variables.set(identity(name), [name, value]);
  }
  for (const [name, value] of Object.entries(env)) variables.set(identity(name), [name, value]);
  return Object.fromEntries(variables.values());
}

function isSetting(name: string): boolean {
  return proxyVariable.test(name) || (npmSetting.test(name) && !npmSecret.test(name));
}

// `user:password@host`, with or without a scheme.
function mayHoldCredentials(value: string): boolean {
  return value.includes("@");
}
