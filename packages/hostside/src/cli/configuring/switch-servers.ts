import type { ConfigEdit } from "@hostside/config";
import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { loadConfigured } from "../opening/config-files.ts";
import { knownServer, sourcePlaceOf } from "../opening/known-server.ts";
import { shellLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import {
  changeConfig,
  readCurrentConfig,
  reportChanges,
  startFile,
  valueAt,
  type ConfiguredServerChange,
  type CurrentConfig,
  type StartedFile,
} from "./edit-config.ts";
import { choosePlace, ownPlaces, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";

/** Arguments of `enable` and `disable`. */
export interface SwitchArguments extends PlaceRequest {
  readonly names: readonly string[];
}

/** An edit of one file for one server. */
interface Step {
  readonly source: ServerSource;
  readonly place: ConfigPlace;
  readonly plan: (current: CurrentConfig) => StartedFile;
}

const deniedPath = ["settings", "denyServers"] as const;

/**
 * Switches servers off: in their entry where that is in a `hostside.json`, else by a list of names
 * in one.
 */
export const disableServers: CommandWork<SwitchArguments> = async (args, context) => {
  const { config } = await loadConfigured(context);
  const sources = args.names.map((name) => knownServer(config, name));
  const isChosen = args.user === true || args.project === true;
  const steps = sources.flatMap((source): readonly Step[] => {
    const { serverId: name, off, dialect, file } = source;
    if (off === "disabled" || off === "not allowed") return [];
    const own = dialect === "hostside" ? ownPlaces(context).find(({ path }) => path === file) : undefined;
    if (own !== undefined && !isChosen) {
      const edits = [{ path: ["servers", name, "disabled"], value: true }];
      return [{ source, place: own, plan: () => ({ edits, notes: [] }) }];
    }
    const notes = file === undefined ? [] : [`${sourcePlaceOf(source)} is left as it is`];
    return [{ source, place: choosePlace(context, args), plan: (current) => denyIn(current, name, notes) }];
  });
  return runSteps(steps, { sources, config, change: "disabled" }, context);
};

/** Switches servers on again, wherever a `hostside.json` has them off. */
export const enableServers: CommandWork<Pick<SwitchArguments, "names">> = async ({ names }, context) => {
  const { config } = await loadConfigured(context);
  const sources = names.map((name) => knownServer(config, name));
  for (const source of sources) assertSwitchable(source, config);
  const steps: Step[] = [];
  for (const source of sources.filter(({ off }) => off !== undefined)) {
    const plan = (current: CurrentConfig): StartedFile => ({ edits: switchOnIn(current, source), notes: [] });
    const files = await Promise.all(ownPlaces(context).map(readCurrentConfig));
    const own = files.filter((current) => plan(current).edits.length > 0);
    if (own.length === 0) {
      const why = `${source.file ?? "its file"} says "enabled": false for all of its servers`;
      throw usageError(`${source.serverId} is off, because ${why}`);
    }
    steps.push(...own.map(({ place }) => ({ source, place, plan })));
  }
  return runSteps(steps, { sources, config, change: "enabled" }, context);
};

interface Switching {
  readonly sources: readonly ServerSource[];
  /** The configuration before anything is changed. */
  readonly config: LoadedConfig;
  readonly change: "enabled" | "disabled";
}

async function runSteps(
  steps: readonly Step[],
  { sources, config, change }: Switching,
  context: CommandContext,
): Promise<number> {
  // No file is changed where one of them cannot be edited.
  for (const { place, plan } of steps) await changeConfig(context, { place, plan, dryRun: true });
  const notes: string[] = [];
  for (const { place, plan } of steps) notes.push(...(await changeConfig(context, { place, plan })).change.notes);
  const changes = sources.flatMap(({ serverId: name, file = "" }): readonly ConfiguredServerChange[] => {
    const own = steps.filter(({ source }) => source.serverId === name);
    if (own.length === 0) return [{ file, name, change: "unchanged" }];
    return own.map(({ place }) => ({ file: place.path, name, change }));
  });
  // Settings that a command of the user's wrote need no question, unless others wait for one.
  const isWaiting = config.questions.some(({ starts }) => starts.length === 0);
  const after = await loadConfigured(
    context,
    isWaiting ? undefined : async ({ starts }) => (starts.length === 0 ? "trust" : undefined),
  );
  // A project's own file can have a server on, and its user is asked all the same.
  const untrusted = after.config.sources.filter(
    ({ serverId, off }) =>
      change === "enabled" && off === "untrusted" && sources.some((source) => source.serverId === serverId),
  );
  for (const { serverId } of untrusted) {
    const command = shellLine(["hostside", "trust", serverId]);
    notes.push(`${serverId} is brought by a project, and starts when you trust it: ${command}`);
  }
  return reportChanges({ changes, notes }, context);
}

function assertSwitchable(source: ServerSource, { settings }: LoadedConfig): void {
  const { serverId, off, dialect } = source;
  if (off === "untrusted")
    throw usageError(`${serverId} is brought by a project, and not trusted`, `hostside trust ${serverId}`);
  if (off === "disabled" && dialect !== "hostside") {
    throw usageError(
      `${serverId} is off in ${sourcePlaceOf(source)}, and hostside leaves that file as it is`,
      "switch it on there, or add a server of this name: it is used in the place of that one",
    );
  }
  if (off === "not allowed" && settings.denyServers?.includes(serverId) !== true) {
    throw usageError(
      `${serverId} is not among "allowServers"`,
      `add it to "settings.allowServers" of the hostside.json that has the list`,
    );
  }
}

function denyIn(current: CurrentConfig, name: string, notes: readonly string[]): StartedFile {
  const start = startFile(current);
  const denied = deniedIn(current);
  const edit: ConfigEdit = { path: [...deniedPath, denied.length], value: name };
  return {
    edits: denied.includes(name) ? start.edits : [...start.edits, edit],
    notes: [...start.notes, ...notes],
  };
}

function switchOnIn(current: CurrentConfig, { serverId, file }: ServerSource): readonly ConfigEdit[] {
  const { parsed, place } = current;
  const path = ["servers", serverId, "disabled"];
  const isOff = file === place.path && valueAt(parsed.data, path) === true;
  return [...allowIn(current, serverId), ...(isOff ? [{ path, value: undefined }] : [])];
}

function allowIn(current: CurrentConfig, name: string): readonly ConfigEdit[] {
  const denied = deniedIn(current);
  if (!denied.includes(name)) return [];
  const settings = valueAt(current.parsed.data, ["settings"]);
  const isLast = denied.every((item) => item === name);
  if (isLast && settings instanceof Map && settings.size === 1) return [{ path: ["settings"], value: undefined }];
  if (isLast) return [{ path: deniedPath, value: undefined }];
  // From the end, so that what is left keeps its index.
  const indexes = denied.flatMap((item, index) => (item === name ? [index] : [])).toReversed();
  return indexes.map((index) => ({ path: [...deniedPath, index], value: undefined }));
}

function deniedIn({ parsed }: CurrentConfig): readonly unknown[] {
  const denied = valueAt(parsed.data, deniedPath);
  return Array.isArray(denied) ? denied : [];
}
