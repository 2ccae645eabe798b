import { compareText, quoteText } from "@hostside/core/implement";
import {
  configScopes,
  type ConfigScope,
  type ConfiguredServer,
  type HostSettings,
  settingsId,
} from "../drafts/configured-server.ts";
import { type ConfigProblem, placeProblem } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";
import { normalizeId } from "../read/server-reader.ts";
import { tightenEntry } from "./tighten.ts";
import type { ConfigResult } from "../dialects/read-parsed.ts";

/** Options of {@linkcode mergeLayers}. */
interface MergeOptions {
  /** True if the user trusts this entry of a project. Default: never. */
  readonly isTrusted?: ((server: ConfiguredServer) => boolean) | undefined;
  /** The user's answer about the settings of the project in this folder. Default: none. */
  readonly settingsAnswer?: SettingsAnswer | undefined;
}

/** Several configurations as one. */
interface MergedConfig {
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

// What a file says of itself, or what is done before layers are merged.
const ownKeys: readonly (keyof HostSettings)[] = ["enabled", "imports", "inputs"];
const narrowingKeys: readonly (keyof HostSettings)[] = [...ownKeys, "allowServers", "denyServers"];

const projectKeys = ["allowServers", "denyServers", "serve", "strictRootPaths"] as const;

/** The settings of a project's file that may change what its user gets. */
export function projectSettings(settings: HostSettings): HostSettings {
  const used = projectKeys.filter((key) => settings[key] !== undefined && settings[key] !== false);
  return Object.fromEntries(used.map((key) => [key, settings[key]]));
}

/** Returns the user's answer about the settings of a project, by its folder. */
export type SettingsAnswer = (projectFolder: string) => "trust" | "refuse" | undefined;

/** The settings of all layers. */
/**
 * The settings of several configurations, the stronger one last: each setting whole, as with
 * servers. Lists of servers only ever narrow: denied is what any of them denies, allowed what all
 * of them allow. A file of a project or of an extension can do nothing but narrow; what one says
 * about serving is kept apart. The files of a project that is not trusted change nothing. Nothing
 * is served where a `hostside.json` of the user's own is lost to an error.
 */
function mergeSettings(
  all: readonly ConfigLayer[],
  answerAbout: SettingsAnswer = () => undefined,
): Pick<MergedConfig, "problems" | "settings"> {
  const merged = new Map<string, unknown>();
  const problems: ConfigProblem[] = [];
  const layers: ConfigLayer[] = [];
  for (const layer of all) {
    const { scope, result, file, projectFolder } = layer;
    if (projectFolder !== undefined && answerAbout(projectFolder) !== "trust") {
      const unused = Object.keys(projectSettings(result.settings));
      const state = answerAbout(projectFolder) === "refuse" ? "were refused" : "wait for somebody to trust them";
      const message = `settings of a project's file ${state}: ${unused.join(", ")}`;
      const fix = `hostside trust "${settingsId}" asks about them; or put them into a file of your own`;
      if (unused.length > 0) problems.push(settingsProblem(file, message, fix));
      continue;
    }
    layers.push(layer);
    const isOwn = projectFolder === undefined && scope !== "extension";
    const ignored: string[] = [];
    for (const [key, value] of Object.entries(result.settings) as [keyof HostSettings, unknown][]) {
      if (narrowingKeys.includes(key) || value === undefined) continue;
      if (key === "serve" && projectFolder !== undefined) {
        merged.set("projectServe", value);
        continue;
      }
      if (isOwn || (key === "strictRootPaths" && value === true)) merged.set(key, value);
      else ignored.push(key);
    }
    if (ignored.length === 0 || projectFolder === undefined) continue;
    const message = `settings of a project's file are not used: ${ignored.join(", ")}`;
    problems.push(settingsProblem(file, message, "put them into a file of your own"));
  }
  const allowed = intersect(layers.map(({ result }) => result.settings.allowServers));
  const denied = new Set(layers.flatMap(({ result }) => result.settings.denyServers ?? []));
  if (allowed !== undefined) merged.set("allowServers", allowed);
  if (denied.size > 0) merged.set("denyServers", [...denied]);
  if (all.some(findLoss)) {
    // What was to narrow the offer is not known.
    merged.set("serve", { tools: [] });
    merged.delete("projectServe");
  }
  return { settings: Object.fromEntries(merged), problems };
}

function settingsProblem(file: string | undefined, message: string, fix: string): ConfigProblem {
  const places = { file, positionOf: () => undefined };
  return placeProblem(places, { path: [], severity: "warning", code: "untrusted_setting", message, fix });
}

function intersect(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  const [first, ...others] = given;
  return first?.filter((name) => others.every((list) => list.includes(name)));
}

/** One configuration among others. */
export interface ConfigLayer {
  readonly scope: ConfigScope;
  readonly result: ConfigResult;
  /** Its path, for problems. */
  readonly file?: string | undefined;
  /**
   * The folder of the project, as an absolute path, for a file that whoever wrote the project may
   * have put there: its servers start only where their user trusts them. Absent: a file of the
   * user's own.
   */
  readonly projectFolder?: string | undefined;
  /**
   * The folder of its relative paths, as an absolute path. Absent: they begin nowhere, and a
   * relative program is refused.
   */
  readonly baseFolder?: string | undefined;
}

/** Tells whether a configuration has neither servers nor settings. */
export function isNothing({ servers, settings }: ConfigResult): boolean {
  return servers.length === 0 && Object.keys(settings).length === 0;
}

/**
 * Finds the error because of which nothing of a `hostside.json` of the user's own is used, so that
 * it is not known what that file restricts. `undefined`: there is none.
 */
function findLoss({ result, projectFolder }: ConfigLayer): ConfigProblem | undefined {
  if (projectFolder !== undefined || result.dialect !== "hostside" || !isNothing(result)) return undefined;
  return result.problems.find(({ severity, path }) => severity === "error" && path === "");
}
