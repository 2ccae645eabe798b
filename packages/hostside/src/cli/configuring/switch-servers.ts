import type { ConfigEdit } from "@hostside/config";
import type { LoadedConfig, ServerSource } from "@hostside/config/node";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { knownServer } from "../opening/known-server.ts";
import { shellLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import { changeConfig, valueAt, startFile, type CurrentConfig, type FileChange } from "./edit-config.ts";
import { choosePlace, ownPlaces, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";
import { loadConfigured, sourcePlaceOf } from "./load-configured.ts";
import { reportChanges, type ConfiguredServerChange } from "./report-changes.ts";

/** What `enable` and `disable` were given. */
export interface SwitchArguments extends PlaceRequest {
  readonly names: readonly string[];
}

interface SwitchWork extends PlaceRequest {
  /** Nothing is written: only whether it could be is found out. */
  readonly dryRun: boolean;
}

interface Switched {
  readonly changes: readonly ConfiguredServerChange[];
  readonly edits: readonly ConfigEdit[];
  readonly notes: readonly string[];
}

const deniedPath = ["settings", "denyServers"] as const;

/**
 * Switches servers off: in their entry where that is in a `hostside.json`, else by a list of names
 * in one.
 */
export const disableServers: CommandWork<SwitchArguments> = (args, context) => switchAll(args, context, disableOne);

/** Switches servers on again, wherever a `hostside.json` has them off. */
export const enableServers: CommandWork<SwitchArguments> = (args, context) => switchAll(args, context, enableOne);

type SwitchOne = (source: ServerSource, args: SwitchWork, context: CommandContext) => Promise<Switched>;

async function switchAll(args: SwitchArguments, context: CommandContext, switchOne: SwitchOne): Promise<number> {
  const { config } = await loadConfigured(context);
  // Before anything is written: of several names none is misspelt.
  const sources = args.names.map((name) => knownServer(config, name));
  for (const source of sources) assertSwitchable(source, switchOne === enableOne, config);
  // And no file is one that cannot be edited.
  for (const source of sources) await switchOne(source, { ...args, dryRun: true }, context);
  const done: Switched[] = [];
  for (const source of sources) done.push(await switchOne(source, { ...args, dryRun: false }, context));
  await trustOwnSettings(config, context);
  const waiting = switchOne === enableOne ? await notesOnTrust(sources, context) : [];
  const { changes, notes } = together(done, waiting);
  return reportChanges({ changes, notes }, context);
}

// Settings that were written by a command of the user's need no question, unless others wait for
// one.
async function trustOwnSettings({ questions }: LoadedConfig, context: CommandContext): Promise<void> {
  if (questions.some(({ starts }) => starts.length === 0)) return;
  await loadConfigured(context, async ({ starts }) => (starts.length === 0 ? "trust" : undefined));
}

// A project's own file can have a server on, and its user is asked all the same.
async function notesOnTrust(switched: readonly ServerSource[], context: CommandContext): Promise<readonly string[]> {
  const { config } = await loadConfigured(context);
  const names = switched.map(({ serverId }) => serverId);
  return config.sources
    .filter(({ serverId, off }) => off === "untrusted" && names.includes(serverId))
    .map(
      ({ serverId }) =>
        `${serverId} is brought by a project, and starts when you trust it: ${shellLine(["hostside", "trust", serverId])}`,
    );
}

function together(done: readonly Switched[], notes: readonly string[] = []): Switched {
  return {
    changes: done.flatMap((one) => one.changes),
    edits: done.flatMap((one) => one.edits),
    notes: [...done.flatMap((one) => one.notes), ...notes],
  };
}

function assertSwitchable(source: ServerSource, isOn: boolean, { settings }: LoadedConfig): void {
  const { serverId, off, dialect } = source;
  if (!isOn) return;
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

async function disableOne(source: ServerSource, args: SwitchWork, context: CommandContext): Promise<Switched> {
  const { serverId: name, off, file } = source;
  if (off === "disabled" || off === "not allowed") return unchanged(source);
  const isChosen = args.user === true || args.project === true;
  const own = isChosen ? undefined : ownPlaceOf(source, context);
  const place = own ?? choosePlace(context, args);
  const change = await write(context, { place, name, dryRun: args.dryRun, verb: "disabled" }, (current) =>
    own === undefined
      ? denyIn(current, name)
      : { edits: [{ path: ["servers", name, "disabled"], value: true }], notes: [] },
  );
  const stays = own === undefined && file !== undefined ? [`${sourcePlaceOf(source)} is left as it is`] : [];
  return { ...change, notes: [...change.notes, ...stays] };
}

async function enableOne(source: ServerSource, args: SwitchWork, context: CommandContext): Promise<Switched> {
  const { serverId: name, off } = source;
  if (off === undefined) return unchanged(source);
  const done: Switched[] = [];
  for (const place of ownPlaces(context)) {
    const change = await write(context, { place, name, dryRun: args.dryRun, verb: "enabled" }, (current) => ({
      edits: [...allowIn(current, name), ...switchOnIn(current, name, source)],
      notes: [],
    }));
    if (change.edits.length > 0) done.push(change);
  }
  if (done.length === 0) {
    throw usageError(
      `${name} is off, because ${source.file ?? "its file"} says "enabled": false for all of its servers`,
    );
  }
  return together(done);
}

interface Writing {
  readonly place: ConfigPlace;
  readonly name: string;
  readonly verb: "enabled" | "disabled";
  readonly dryRun: boolean;
}

interface Switching extends FileChange {
  readonly notes: readonly string[];
}

async function write(
  context: CommandContext,
  { place, name, dryRun, verb }: Writing,
  plan: (current: CurrentConfig) => Switching,
): Promise<Switched> {
  const { file, change } = await changeConfig(context, { place, dryRun, plan });
  return { changes: [{ file, name, change: verb }], edits: change.edits, notes: change.notes };
}

function denyIn(current: CurrentConfig, name: string): Switching {
  const start = startFile(current);
  const denied = valueAt(current.parsed.data, deniedPath);
  const count = Array.isArray(denied) ? denied.length : 0;
  if (Array.isArray(denied) && denied.includes(name)) return { edits: start.edits, notes: start.notes };
  return { edits: [...start.edits, { path: [...deniedPath, count], value: name }], notes: start.notes };
}

function allowIn({ parsed }: CurrentConfig, name: string): readonly ConfigEdit[] {
  const denied = valueAt(parsed.data, deniedPath);
  if (!Array.isArray(denied) || !denied.includes(name)) return [];
  const settings = valueAt(parsed.data, ["settings"]);
  const isLast = denied.every((item) => item === name);
  if (isLast && settings instanceof Map && settings.size === 1) return [{ path: ["settings"], value: undefined }];
  if (isLast) return [{ path: deniedPath, value: undefined }];
  // From the end, so that what is left keeps its index.
  const indexes = denied.flatMap((item, index) => (item === name ? [index] : [])).toReversed();
  return indexes.map((index) => ({ path: [...deniedPath, index], value: undefined }));
}

function switchOnIn({ parsed, place }: CurrentConfig, name: string, { file }: ServerSource): readonly ConfigEdit[] {
  const path = ["servers", name, "disabled"];
  return file === place.path && valueAt(parsed.data, path) === true ? [{ path, value: undefined }] : [];
}

function ownPlaceOf({ dialect, file }: ServerSource, context: CommandContext): ConfigPlace | undefined {
  return dialect === "hostside" ? ownPlaces(context).find(({ path }) => path === file) : undefined;
}

function unchanged({ serverId: name, file = "" }: ServerSource): Switched {
  return { changes: [{ file, name, change: "unchanged" }], edits: [], notes: [] };
}
