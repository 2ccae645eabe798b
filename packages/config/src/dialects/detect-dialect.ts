import type { DialectName } from "../drafts/configured-server.ts";
import { dataAt, isConfigMap, type ConfigData, type ConfigPath } from "../parse/config-data.ts";

interface Signature {
  readonly dialect: DialectName;
  /** The end of the path of a file of the tool; separators are `/`. */
  readonly file?: RegExp;
  /** The paths of its servers. */
  readonly roots: readonly ConfigPath[];
  /** A further condition on the data. */
  readonly when?: (data: ConfigData) => boolean;
  /** And what besides, where its path does not say it. */
  readonly looks?: (data: ConfigData) => boolean;
}

const underMcpServers: readonly ConfigPath[] = [["mcpServers"]];

// In the order in which they are tried: what is more special stands before what is more general.
const signatures: readonly Signature[] = [
  {
    dialect: "hostside",
    file: /(?:^|[/.])hostside\.jsonc?$/,
    roots: [["servers"], ["imports"], ["settings"]],
    looks: hasOwnShape,
  },
  { dialect: "anda", roots: [["servers"], ["mcpServers"], []], when: hasAndaShape },
  { dialect: "claude-code", file: /(?:^|\/)(?:\.mcp|\.claude)\.json$/, roots: [...underMcpServers, ["projects"]] },
  { dialect: "claude-desktop", file: /(?:^|\/)claude_desktop_config\.json$/, roots: underMcpServers },
  { dialect: "cursor", file: /(?:^|\/)\.cursor\/mcp\.json$/, roots: underMcpServers },
  {
    dialect: "vscode",
    file: /(?:^|\/)(?:\.vscode\/(?:mcp|settings)|Code(?: - Insiders)?\/User\/(?:.*\/)?(?:mcp|settings)|\.?devcontainer)\.json$/,
    roots: [["servers"], ["mcp", "servers"], ["customizations", "vscode", "mcp", "servers"]],
    when: (data) => !isOpencode(data),
    looks: (data) => !hasOwnShape(data),
  },
  { dialect: "codex", file: /(?:^|\/)\.codex\/config\.toml$/, roots: [["mcp_servers"]] },
  { dialect: "gemini", file: /(?:^|\/)(?:\.gemini|gemini-cli|GeminiCli)\/settings\.json$/, roots: underMcpServers },
  { dialect: "windsurf", file: /(?:^|\/)mcp_config\.json$/, roots: underMcpServers },
  { dialect: "zed", file: /(?:^|\/)\.?zed\/settings\.json$/i, roots: [["context_servers"]] },
  { dialect: "cline", file: /(?:^|\/)(?:cline_mcp_settings|\.cline\/mcp)\.json$/, roots: underMcpServers },
  { dialect: "roo", file: /(?:^|\/)(?:\.roo\/mcp|mcp_settings)\.json$/, roots: underMcpServers },
  {
    dialect: "continue",
    file: /(?:^|\/)\.continue\/(?:.*\/)?[^/]+\.ya?ml$/,
    roots: underMcpServers,
    when: (data) => Array.isArray(dataAt(data, ["mcpServers"])),
  },
  { dialect: "opencode", file: /(?:^|\/)opencode\.jsonc?$/, roots: [["mcp"]], when: isOpencode },
  { dialect: "goose", file: /(?:^|\/)goose\/(?:config\/)?config\.yaml$/, roots: [["extensions"]] },
  { dialect: "amazon-q", file: /(?:^|\/)\.?(?:aws\/)?amazonq\/(?:.*\/)?[^/]+\.json$/, roots: underMcpServers },
  { dialect: "mcporter", file: /(?:^|\/)mcporter\.jsonc?$/, roots: underMcpServers },
  { dialect: "evva", file: /(?:^|\/)\.?evva\/settings\.json$/, roots: underMcpServers },
  { dialect: "adk", roots: [["toolsets"]] },
  { dialect: "nexo", roots: [["mcp", "servers"]], when: (data) => !isOpencode(data) },
  { dialect: "mcp-json", roots: underMcpServers },
];

/**
 * Finds the dialect of a file: by its path where that is a tool's own and the data agrees, else by
 * its root key. `undefined` where it is none that is known.
 *
 * @example
 * detectDialect(".cursor/mcp.json", undefined); // "cursor"
 */
export function detectDialect(file: string | undefined, data: ConfigData | undefined): DialectName | undefined {
  const path = plainPath(file);
  const byPath = signaturesOf(path);
  const agreed = byPath.find((one) => fits(one, data));
  if (agreed !== undefined) return agreed.dialect;
  return detectByData(data, /\.ya?ml$/i.test(path)) ?? byPath[0]?.dialect;
}

/** Finds the tool that has its configuration at such a path. */
export function dialectOfPath(file: string | undefined): DialectName | undefined {
  return signaturesOf(plainPath(file))[0]?.dialect;
}

function plainPath(file: string | undefined): string {
  return file?.replaceAll("\\", "/") ?? "";
}

function signaturesOf(path: string): readonly Signature[] {
  return signatures.filter((one) => one.file?.test(path) === true);
}

/** Finds the dialect that data looks like, whatever its file is called. */
export function detectByData(data: ConfigData | undefined, isYaml: boolean = false): DialectName | undefined {
  const general = signatures.filter(isRecognizable);
  // The one difference that no key shows.
  const ordered = isYaml
    ? general.toSorted((a, b) => Number(b.dialect === "nexo") - Number(a.dialect === "nexo"))
    : general;
  return ordered.find((one) => fits(one, data) && (data === undefined || one.looks?.(data) !== false))?.dialect;
}

/** True if data has servers where a dialect has them. */
export function hasRootOf(dialect: DialectName, data: ConfigData | undefined): boolean {
  return signatures.some(
    (one) => one.dialect === dialect && one.roots.some((root) => dataAt(data, root) !== undefined),
  );
}

/** The place of the servers of a dialect, in words: `"mcpServers"`. */
export function rootsInWords(dialect: DialectName): string {
  const roots = signatures.find((one) => one.dialect === dialect)?.roots ?? [];
  return roots
    .filter(([first]) => first !== undefined && !["projects", "imports", "settings"].includes(String(first)))
    .map((root) => `"${root.join(".")}"`)
    .join(" or ");
}

/**
 * Finds what looks like servers in data that has them nowhere where a dialect does: under a
 * name that is misspelt, or at the top.
 */
export function findMisplaced(
  data: ConfigData | undefined,
): { readonly path: ConfigPath; readonly isEntry: boolean } | undefined {
  if (!isConfigMap(data)) return undefined;
  for (const [name, value] of data) {
    if (!isConfigMap(value)) continue;
    if (isRootName(name)) return { path: [name], isEntry: false };
    if (isServerEntry(value)) return { path: [name], isEntry: true };
    const inner = [...value.keys()].find((one) => isRootName(one) && isConfigMap(value.get(one)));
    if (inner !== undefined) return { path: [name, inner], isEntry: false };
  }
  return undefined;
}

function isRootName(name: string): boolean {
  return /^(?:mcp|context)?[-_ ]?servers?$/i.test(name);
}

function isServerEntry(value: ConfigData): boolean {
  return ["command", "url", "serverUrl", "httpUrl"].some((name) => typeof dataAt(value, [name]) === "string");
}

// The others are `mcpServers` in a file with a certain name.
function isRecognizable({ dialect, roots, when }: Signature): boolean {
  return dialect === "mcp-json" || when !== undefined || !roots.some(([first]) => first === "mcpServers");
}

function fits({ roots, when }: Signature, data: ConfigData | undefined): boolean {
  if (data === undefined) return false;
  return roots.some((root) => isContainer(dataAt(data, root))) && (when === undefined || when(data));
}

function isContainer(value: ConfigData | undefined): boolean {
  return isConfigMap(value) || Array.isArray(value);
}

function entriesAt(data: ConfigData, path: ConfigPath): readonly ConfigData[] {
  const value = dataAt(data, path);
  if (isConfigMap(value)) return [...value.values()];
  return Array.isArray(value) ? (value as readonly ConfigData[]) : [];
}

const namesOfVsCode = ["dev", "gallery", "sandbox", "sandboxEnabled", "version"] as const;

// Entries of VS Code are read in the same way, but for members that only it has. Others have some
// of our names, and others beside them.
function hasOwnShape(data: ConfigData): boolean {
  if (!isConfigMap(data) || (data.has("servers") && !isConfigMap(data.get("servers")))) return false;
  const entries = entriesAt(data, ["servers"]);
  if (entries.length === 0) return [...data.keys()].every((name) => ownNames.has(name));
  const others = ["transport", ...namesOfVsCode];
  return !entries.some((entry) => isConfigMap(entry) && others.some((name) => entry.has(name)));
}

const ownNames: ReadonlySet<unknown> = new Set(["$schema", "imports", "inputs", "settings", "serve", "servers"]);

function isOpencode(data: ConfigData): boolean {
  const entries = [...entriesAt(data, ["mcp"]), ...entriesAt(data, ["mcp", "servers"])];
  return entries.some((entry) => isOneOf(dataAt(entry, ["type"]), ["local", "remote"]));
}

function hasAndaShape(data: ConfigData): boolean {
  const inMembers = [...entriesAt(data, ["servers"]), ...entriesAt(data, ["mcpServers"])];
  const entries = Array.isArray(data) ? (data as readonly ConfigData[]) : inMembers;
  return entries.some((entry) => isOneOf(dataAt(entry, ["transport", "type"]), ["stdio", "streamable_http"]));
}

function isOneOf(value: ConfigData | undefined, words: readonly string[]): boolean {
  return typeof value === "string" && words.includes(value);
}
