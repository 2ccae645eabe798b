import { dirname, resolve } from "node:path";
import type { ServerSpec } from "@hostside/core";
import { assertKnownOptions } from "@hostside/core/implement";
import {
  type ConfigScope,
  type ConfiguredServer,
  type OffReason,
  type ServerDraft,
  type ServerExtras,
  type DialectName,
  settingsId,
  type HostSettings,
} from "../drafts/configured-server.ts";
import type { ExpandContext } from "../expand/resolve-reference.ts";
import { expandConfig, type ExpandedServer } from "../expand/expand-config.ts";
import {
  type ConfigLayer,
  groupBy,
  mergeLayers,
  placeInWords,
  projectSettings,
  type SettingsAnswer,
} from "../layers/merge-layers.ts";
import { formatPath } from "../parse/config-data.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";
import type { TrustEntry, TrustQuestion, TrustVerdict } from "../trust/trust.ts";
import { checkExtensionRoot, readProjectFiles } from "./project-files.ts";
import { createFileSource } from "./read-config-file.ts";
import { findProjectFolder } from "./find-configs.ts";
import { loadFields, loadPlaceOf, type LoadConfigOptions, type LoadPlace } from "./load-options.ts";
import { resolvePaths, isWithin, realPathOf, type PathBase } from "./resolve-paths.ts";
import { readLayers, type Accept } from "./read-layers.ts";

/** The origin of a server, and its state. */
export interface ServerSource {
  readonly serverId: string;
  readonly scope: ConfigScope;
  readonly dialect: DialectName;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The path in the data. */
  readonly path: string;
  /**
   * `"on"`: it starts. `"off"`: its spec is disabled. `"failed"`: there is no spec, and a problem
   * says why.
   */
  readonly state: "on" | "off" | "failed";
  /** The reason that it is off. */
  readonly off?: OffReason | undefined;
  /** Settings of its file that a spec has no place for, expanded where it is on. */
  readonly extras: ServerExtras;
  /**
   * Places of entries of the same name that it is used in place of, such as
   * `/home/user/.cursor/mcp.json:4:5`.
   */
  readonly over: readonly string[];
}

/** Configurations as a product uses them. */
export interface LoadedConfig {
  /**
   * Sorted by id, ready for `applyServers()`; the label `scope` says where each comes from, `off`
   * why one is disabled, and `approval: "always"` that somebody is to be asked about its tools.
   */
  readonly servers: readonly ServerSpec[];
  readonly settings: HostSettings;
  readonly problems: readonly ConfigProblem[];
  /** One for each name, sorted by it. */
  readonly sources: readonly ServerSource[];
  /**
   * Values in the specs that came from variables with the name of a secret, from files and from
   * hidden inputs: for a redactor, beside those that stand in a spec's headers, environment and
   * token, which it knows from the spec.
   */
  readonly secrets: readonly string[];
  /** Open questions about servers that a project brings. */
  readonly questions: readonly TrustQuestion[];
}

/**
 * Reads the files that a user has, or those that are named, and makes of them what a provider
 * takes. Never rejects for what a file is like: what is wrong is a problem with its place, and the
 * rest works. A server that a project brings starts only when `trust` says so, and nothing is put
 * into its entry before.
 *
 * Throws a `TypeError` for an option that is unknown.
 *
 * @example
 * const { servers, problems } = await loadConfig({ files: "auto" });
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  assertKnownOptions("loadConfig()", options, { ...loadFields, signal: true });
  const { config } = await loadAll(options);
  return config;
}

/** A loaded configuration, and its sources. */
export interface LoadAll {
  readonly config: LoadedConfig;
  /** All paths that were looked at, whether there is something or not. */
  readonly paths: readonly string[];
  /** The questions of the configuration, with what each is about. */
  readonly undecided: readonly { readonly entry: TrustEntry; readonly question: TrustQuestion }[];
}

/**
 * {@linkcode loadConfig}; with `accept` for whoever loads again and again, and asks users and waits
 * for them itself.
 */
export async function loadAll(options: LoadConfigOptions, accept?: Accept): Promise<LoadAll> {
  const place = loadPlaceOf(options);
  const ask = accept === undefined;
  const { layers, paths, problems } = await readLayers(options, place, accept ?? ((_, result) => result));
  const kept = new Map<string, Promise<string | undefined>>();
  const loading: Loading = { options, place, ask, kept, projectFolder: findProjectFolder(place) };
  const verdicts = await judgeAll(layers, loading);
  const settings = await judgeSettings(layers, loading);
  const settingsAnswer: SettingsAnswer = (folder) => answerIn(settings.get(folder)?.verdict);
  const merged = mergeLayers(layers, {
    isTrusted: (server) => verdicts.get(placeOf(server))?.verdict.trusted === true,
    settingsAnswer,
  });
  const outcomes: Outcome[] = [];
  for (const server of merged.servers) {
    if (!isWanted(options, server)) outcomes.push(leaveOut(server));
    else if (server.off !== undefined) outcomes.push(leaveOff(server, verdicts));
    else outcomes.push(await useServer(server, { ...loading, settings: merged.settings }));
  }
  const undecided = [...verdicts.values(), ...settings.values()].flatMap(({ entry, verdict }) => {
    const isAsked = !verdict.trusted && verdict.why === "undecided";
    return isAsked && (entry.server === noServer || isWanted(options, entry.server))
      ? [{ entry, question: verdict.question }]
      : [];
  });
  const config: LoadedConfig = {
    servers: outcomes.flatMap(({ spec }) => spec ?? []),
    settings: merged.settings,
    problems: [
      ...problems,
      ...layers.flatMap((layer) => problemsOf(layer, settingsAnswer)),
      ...merged.problems,
      ...outcomes.flatMap((outcome) => outcome.problems),
    ],
    sources: outcomes.map(({ source }) => source),
    secrets: [...new Set(outcomes.flatMap(({ secrets }) => secrets))],
    questions: undecided.map(({ question }) => question),
  };
  return { config, paths: [...paths, ...kept.keys()], undecided };
}

// What is wrong with settings that count for nothing stops nobody.
function problemsOf(
  { result: { problems }, projectFolder }: ConfigLayer,
  settingsAnswer: SettingsAnswer,
): readonly ConfigProblem[] {
  if (projectFolder === undefined || settingsAnswer(projectFolder) === "trust") return problems;
  return problems.map((one) => (/^(?:serve|settings)\b/.test(one.path) ? { ...one, severity: "warning" } : one));
}

interface Loading {
  readonly options: LoadConfigOptions;
  readonly place: LoadPlace;
  readonly ask: boolean;
  readonly kept: Map<string, Promise<string | undefined>>;
  readonly projectFolder: string | undefined;
}

interface Judged {
  readonly entry: TrustEntry;
  readonly verdict: TrustVerdict;
}

async function judgeAll(layers: readonly ConfigLayer[], loading: Loading): Promise<ReadonlyMap<string, Judged>> {
  const { trust, signal } = loading.options;
  const verdicts = new Map<string, Judged>();
  const all = layers.flatMap(({ result, projectFolder }) =>
    result.servers.map((server) => ({ server, isOwn: projectFolder === undefined })),
  );
  const named = groupBy(all, ({ server }) => server.id);
  for (const layer of layers) {
    const { result, projectFolder } = layer;
    if (projectFolder === undefined || trust === undefined) continue;
    for (const server of result.servers) {
      const { context, source } = surroundingsOf(server, layer, loading);
      const files = await readProjectFiles(server, { source, folder: projectFolder, context });
      const own = (named.get(server.id) ?? []).filter(({ isOwn }) => isOwn);
      const replaces = [...new Set(own.flatMap((one) => one.server.file ?? []))];
      const entry = { server: await withRealFile(server), folder: projectFolder, ...files, replaces };
      const starts = server.draft.disabled !== true && result.settings.enabled !== false;
      // What does not start needs no answer, unless it would stand in place of something that does.
      const ask =
        loading.ask && isWanted(loading.options, server) && (starts || (named.get(server.id)?.length ?? 0) > 1);
      verdicts.set(placeOf(server), { entry, verdict: await trust.decide(entry, { ask, signal }) });
    }
  }
  return verdicts;
}

/** Decides about the settings in the files of each project. */
async function judgeSettings(
  layers: readonly ConfigLayer[],
  { options: { trust, signal }, ask }: Loading,
): Promise<ReadonlyMap<string, Judged>> {
  const verdicts = new Map<string, Judged>();
  for (const [folder, files] of groupBy(layers, ({ projectFolder = "" }) => projectFolder)) {
    const settings: [string, HostSettings][] = [];
    for (const { file = folder, result } of files) {
      const own = projectSettings(result.settings);
      if (Object.keys(own).length > 0) settings.push([await realPathOf(file), own]);
    }
    if (folder === "" || trust === undefined || settings.length === 0) continue;
    const entry = { server: noServer, folder, settings: Object.fromEntries(settings) };
    verdicts.set(folder, { entry, verdict: await trust.decide(entry, { ask, signal }) });
  }
  return verdicts;
}

const noServer: ConfiguredServer = {
  id: settingsId,
  dialect: "hostside",
  path: [],
  draft: { id: settingsId, type: "stdio", command: "" },
  places: new Map(),
  variables: [],
  extras: {},
  inputs: [],
};

// By whatever name somebody came to a project, an answer about it is the same.
async function withRealFile(server: ConfiguredServer): Promise<ConfiguredServer> {
  return server.file === undefined ? server : { ...server, file: await realPathOf(server.file) };
}

function surroundingsOf(
  server: ConfiguredServer,
  { projectFolder, baseFolder }: Pick<ConfigLayer, "projectFolder" | "baseFolder">,
  loading: Loading,
) {
  const { options, place, kept } = loading;
  const folder = server.file === undefined ? place.cwd : dirname(server.file);
  const source = createFileSource({ folder: baseFolder ?? folder, within: projectFolder, home: place.home, kept });
  const extension = options.extensions?.find(({ root, file }) => resolve(place.cwd, root, file) === server.file);
  const context: ExpandContext = {
    env: place.env,
    files: (path) => source.read(path),
    isShipped: async (path) => {
      return projectFolder !== undefined && isWithin(projectFolder, await realPathOf(source.resolve(path)));
    },
    inputs: options.inputs,
    folders: {
      workspaceFolder: projectFolder ?? loading.projectFolder ?? place.cwd,
      userHome: place.home,
      configFolder: folder,
      ...(extension === undefined ? {} : { extensionRoot: resolve(place.cwd, extension.root) }),
    },
    platform: place.platform,
    check: options.check,
  };
  return { context, source };
}

// An entry, whatever was merged into it.
function placeOf({ file, path }: ConfiguredServer): string {
  return JSON.stringify([file, path]);
}

interface Outcome {
  readonly spec?: ServerSpec | undefined;
  readonly source: ServerSource;
  readonly problems: readonly ConfigProblem[];
  readonly secrets: readonly string[];
}

interface Using extends Loading {
  readonly settings: HostSettings;
}

async function useServer(server: ConfiguredServer, loading: Using): Promise<Outcome> {
  const { context } = surroundingsOf(server, server, loading);
  const labelled = { ...server, draft: withLabels(server) };
  const expanded = await expandConfig(labelled, context);
  const strict = loading.settings.strictRootPaths === true;
  const outside = await checkExtensionRoot(expanded.spec, { server, context, strict });
  const resolved = expanded.spec && resolvePaths(expanded.spec, server, baseOf(server, loading));
  const isOutside = outside?.severity === "error";
  const spec = isOutside ? undefined : resolved?.spec;
  const state = spec === undefined ? "failed" : "on";
  const { extras, problem } = keepOwnResource(expanded, server);
  return {
    spec,
    source: { ...sourceOf(server, state), extras },
    problems: [...expanded.problems, ...[outside, problem].flatMap((one) => one ?? []), ...(resolved?.problems ?? [])],
    secrets: expanded.secrets,
  };
}

function baseOf({ path, scope, projectFolder, baseFolder }: ConfiguredServer, { place }: Loading): PathBase {
  // One file has servers of many projects.
  const local = scope === "local" && path[0] === "projects" ? path[1] : undefined;
  const folder = baseFolder ?? (typeof local === "string" ? local : scope === "command-line" ? place.cwd : undefined);
  return { folder, startsThere: projectFolder !== undefined, home: place.home };
}

/** A project may name no other API than its own server, to which a token would be sent. */
function keepOwnResource(
  { spec, extras }: ExpandedServer,
  server: ConfiguredServer,
): { readonly extras: ServerExtras; readonly problem?: ConfigProblem } {
  const { resource, ...oauth } = extras.oauth ?? {};
  if (
    server.projectFolder === undefined ||
    resource === undefined ||
    isAbove(resource, spec?.command === undefined ? spec?.url : undefined)
  )
    return { extras };
  const problem = serverProblem(
    server,
    {
      severity: "warning",
      code: "untrusted_setting",
      message: "oauth.resource of a project's file is not used: it is no address above that of the server",
      fix: "put the server into a file of your own",
    },
    "oauth.resource",
  );
  return { extras: { ...extras, oauth }, problem };
}

function isAbove(resource: string | false, url: string | undefined): boolean {
  if (resource === false || url === undefined || !URL.canParse(resource) || !URL.canParse(url)) return false;
  const above = new URL(resource);
  const own = new URL(url);
  if (above.origin !== own.origin || above.search !== "" || above.hash !== "") return false;
  return `${own.pathname}/`.startsWith(above.pathname.replace(/\/*$/, "/"));
}

function answerIn(verdict: TrustVerdict | undefined): ReturnType<SettingsAnswer> {
  if (verdict?.trusted !== false) return verdict && "trust";
  return verdict.why === "refused" ? "refuse" : undefined;
}

function isWanted({ allow }: LoadConfigOptions, { id }: ConfiguredServer): boolean {
  return allow?.(id) !== false;
}

function leaveOut(server: ConfiguredServer): Outcome {
  return { source: sourceOf({ off: "not wanted", ...server }, "off"), problems: [], secrets: [] };
}

function leaveOff(server: ConfiguredServer, verdicts: ReadonlyMap<string, Judged>): Outcome {
  const outcome = { spec: disabledSpec(server), source: sourceOf(server, "off"), secrets: [] };
  if (server.off !== "untrusted") return { ...outcome, problems: [] };
  const verdict = verdicts.get(placeOf(server))?.verdict;
  const message =
    verdict === undefined || verdict.trusted
      ? "is brought by a project, and there is nobody to ask whether it is trusted"
      : verdict.message;
  return { ...outcome, problems: [serverProblem(server, { severity: "warning", code: "untrusted_server", message })] };
}

function sourceOf(server: ConfiguredServer, state: ServerSource["state"]): ServerSource {
  const { id: serverId, scope = "user", dialect, file, position, extras, off } = server;
  const { line, column } = position ?? {};
  const [path, over] = [formatPath(server.path), (server.over ?? []).map(placeInWords)];
  return { serverId, scope, dialect, file, line, column, path, state, off, extras, over };
}

const nowhere = "https://disabled.invalid/";

/**
 * The draft of a server with the labels that say where its entry comes from, and `approval` where
 * somebody is to be asked about its tools; what the entry itself says of them does not count.
 */
function withLabels({ draft, extras, scope = "user" }: ConfiguredServer): ServerDraft {
  const { approval: _own, ...own } = draft.labels ?? {};
  const asked = extras.approval === "always" ? { approval: "always" } : {};
  return { ...draft, labels: { ...own, scope, ...asked } };
}

/**
 * The spec of a server that does not start, so that it keeps its place in every list: what it is
 * called and what it would be, as it is written, and nothing that could be a secret. Nothing is
 * expanded for it.
 */
function disabledSpec({ draft, scope = "user", off }: ConfiguredServer): ServerSpec {
  const { id, command, url, title } = draft;
  const named = title === undefined ? {} : { title };
  const labels = off === undefined ? { scope } : { scope, off };
  const about = { id, ...named, labels, disabled: true };
  return command === undefined ? { ...about, type: "http", url: shownUrl(url) } : { ...about, type: "stdio", command };
}

// A URL may be a reference, or have one in it, and is none then; its query may have a secret.
function shownUrl(url: string): string {
  const [plain = ""] = url.split(/[?#]/);
  const { protocol = "", username = "", password = "" } = URL.canParse(plain) ? new URL(plain) : {};
  // What cannot be shown is written in its file.
  return /^https?:$/.test(protocol) && username + password === "" ? plain : nowhere;
}
