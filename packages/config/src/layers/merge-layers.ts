import { compareText, quoteText } from "@hostside/core/implement";
import { configScopes, type ConfigScope, type ConfiguredServer } from "../drafts/configured-server.ts";
import type { HostSettings } from "../drafts/host-settings.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";
import { normalizeId } from "../read/server-reader.ts";
import { findLoss, type ConfigLayer } from "./config-layer.ts";
import { mergeSettings, type SettingsAnswer } from "./merge-settings.ts";
import { tightenEntry } from "./tighten.ts";

/** Options of {@linkcode mergeLayers}. */
export interface MergeOptions {
  /** True if the user trusts this entry of a project. Default: never. */
  readonly isTrusted?: ((server: ConfiguredServer) => boolean) | undefined;
  /** The user's answer about the settings of the project in this folder. Default: none. */
  readonly settingsAnswer?: SettingsAnswer | undefined;
}

/** Several configurations as one. */
export interface MergedConfig {
  /** One for each name, sorted by it. */
  readonly servers: readonly ConfiguredServer[];
  readonly settings: HostSettings;
  /** Problems of merging alone; each layer has its own. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * Several configurations as one: of two entries with one name, the whole of the stronger one is
 * used, by `configScopes`, and of those of one scope the one that comes later. An entry of a
 * project that is not trusted is never used in place of another one, and one that is trusted has
 * nothing in it that loosens what the user allows. Servers of projects are left out where a
 * `hostside.json` of the user's own is lost to an error. Pure.
 */
export function mergeLayers(layers: readonly ConfigLayer[], options: MergeOptions = {}): MergedConfig {
  // Stable: of one scope, the order stays.
  const ordered = layers.toSorted((a, b) => rankOf(a.scope) - rankOf(b.scope));
  const { settings, problems } = mergeSettings(ordered, options.settingsAnswer);
  const { used, left } = leaveProjects(ordered);
  const found: ConfigProblem[] = [...problems, ...left];
  const servers = [...groupById(used)].map(([, entries]) => pick(entries, { ...options, settings, found }));
  const sorted = servers.toSorted((a, b) => compareText(a.id, b.id));
  return { servers: sorted, settings, problems: [...found, ...alikeProblems(sorted)] };
}

// What the lost file denies, restricts or asks about is not known.
function leaveProjects(layers: readonly ConfigLayer[]): {
  readonly used: readonly ConfigLayer[];
  readonly left: readonly ConfigProblem[];
} {
  const loss = layers.map(findLoss).find((one) => one !== undefined);
  if (loss === undefined) return { used: layers, left: [] };
  const used = layers.filter(({ projectFolder }) => projectFolder === undefined);
  const files = layers.flatMap(({ projectFolder, result, file = projectFolder }) =>
    projectFolder !== undefined && result.servers.length > 0 ? [file] : [],
  );
  const message = `the servers of ${files.join(", ")} are left out, because it is not known what this file says of them`;
  return { used, left: files.length === 0 ? [] : [{ ...loss, message, fix: "mend this file" }] };
}

interface Candidate {
  readonly server: ConfiguredServer;
  readonly scope: ConfigScope;
  readonly layer: ConfigLayer;
}

function groupById(layers: readonly ConfigLayer[]): ReadonlyMap<string, readonly Candidate[]> {
  const all = layers.flatMap((layer) =>
    layer.result.servers.map((server) => ({ server, scope: scopeOf(server, layer), layer })),
  );
  return groupBy(
    all.toSorted((a, b) => rankOf(a.scope) - rankOf(b.scope)),
    ({ server }) => server.id,
  );
}

// One file can speak for several scopes; a project's cannot raise itself.
function scopeOf(server: ConfiguredServer, { scope, projectFolder }: ConfigLayer): ConfigScope {
  return projectFolder === undefined ? (server.scope ?? scope) : scope;
}

interface Picking extends MergeOptions {
  readonly settings: HostSettings;
  readonly found: ConfigProblem[];
}

function pick(candidates: readonly Candidate[], { isTrusted, settings, found }: Picking): ConfiguredServer {
  const trusts = ({ server, layer }: Candidate): boolean =>
    layer.projectFolder === undefined || isTrusted?.(server) === true;
  const index = candidates.findLastIndex(trusts);
  const used = candidates[index] ?? candidates.at(-1);
  if (used === undefined) throw new TypeError("a group of entries has at least one");
  for (const { server } of index < 0 ? [] : candidates.slice(index + 1)) {
    const message = `is not trusted, and not used in place of ${placeInWords(used.server)}`;
    found.push(problemAt(server, { code: "untrusted_server", message, fix: "trust it, or give it another name" }));
  }
  const { scope, layer } = used;
  const weaker = candidates.slice(0, Math.max(index, 0));
  const over = weaker.map((candidate) => candidate.server);
  const off = offReason(used, { trusted: index >= 0, settings });
  const { server, ignored } =
    off === undefined && layer.projectFolder !== undefined
      ? tightenEntry(
          used.server,
          weaker.filter(trusts).map((candidate) => candidate.server),
        )
      : { server: used.server, ignored: [] };
  if (ignored.length > 0) {
    const message = `what a project's file says may not loosen what the host allows, and is not used: ${ignored.join(", ")}`;
    found.push(
      problemAt(server, { code: "untrusted_setting", message, fix: "put the server into a file of your own" }),
    );
  }
  return {
    ...server,
    scope,
    ...(layer.projectFolder === undefined ? {} : { projectFolder: layer.projectFolder }),
    ...(layer.baseFolder === undefined ? {} : { baseFolder: layer.baseFolder }),
    ...(off === undefined ? {} : { off }),
    over,
  };
}

function offReason(
  { server, layer }: Candidate,
  { trusted, settings }: { readonly trusted: boolean; readonly settings: HostSettings },
): ConfiguredServer["off"] {
  const { allowServers, denyServers } = settings;
  if (server.draft.disabled === true || layer.result.settings.enabled === false) return "disabled";
  if (denyServers?.includes(server.id) === true || allowServers?.includes(server.id) === false) {
    return "not allowed";
  }
  return trusted ? undefined : "untrusted";
}

// Within one file, whoever read it has said so.
function alikeProblems(servers: readonly ConfiguredServer[]): readonly ConfigProblem[] {
  const groups = groupBy(servers, ({ id }) => normalizeId(id));
  return [...groups.values()].flatMap((group) =>
    group.slice(1).flatMap((server, index) => {
      const other = group[index];
      if (other === undefined || other.file === server.file) return [];
      const message = `${quoteText(server.id, 80)} and ${quoteText(other.id, 80)} in ${placeInWords(other)} are the same after normalisation`;
      return [problemAt(server, { code: "ids_alike", message, fix: "give one of them another name" })];
    }),
  );
}

function problemAt(server: ConfiguredServer, problem: Pick<ConfigProblem, "code" | "message" | "fix">): ConfigProblem {
  return serverProblem(server, { ...problem, severity: "warning" });
}

/** The place of an entry, for a message: `/home/user/.cursor/mcp.json:4:5`. */
export function placeInWords({ file, position }: ConfiguredServer): string {
  const parts = [file ?? "another configuration", position?.line, position?.column];
  return parts.filter((part) => part !== undefined).join(":");
}

function rankOf(scope: ConfigScope): number {
  return configScopes.indexOf(scope);
}

/** Items by a key, in their order. `Map.groupBy` needs Node 21. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
