import {
  formatProblem,
  type ConfigEdit,
  type ConfigLayer,
  type ConfigProblem,
  type ConfigResult,
} from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import type { JsonObject } from "@hostside/core";
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import { buildEntry, loadConfigured, type EntryArguments } from "../opening/config-files.ts";
import { sourcePlaceOf, exactServer } from "../opening/known-server.ts";
import type { Terminal } from "../terminal.ts";
import {
  changeConfig,
  previewEdits,
  reportChange,
  startFile,
  valueAt,
  type CurrentConfig,
  choosePlace,
  type ConfigPlace,
  type PlaceRequest,
  readCurrentConfig,
  ownPlaces,
} from "./edit-config.ts";
import { adviseOnSecrets, secretsIn } from "./find-secrets.ts";

/** Arguments of `add`. */
export interface AddArguments extends EntryArguments, PlaceRequest {
  readonly name: string;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly replace?: boolean | undefined;
}

/**
 * Writes a server into a `hostside.json`, after everything that can be known without starting it
 * was looked at.
 */
export const runAddCommand: CommandWork<AddArguments> = async (args, context) => {
  const { name, allow, deny } = args;
  const place = choosePlace(context, args);
  const entry = {
    ...buildEntry(name, args, context.terminal.cwd),
    ...(allow !== undefined && { allow: [...allow] }),
    ...(deny !== undefined && { deny: [...deny] }),
  };
  const { change } = await changeConfig(context, {
    place,
    plan: (current) => planAdding(current, entry, { ...args, terminal: context.terminal }),
  });
  const notes = [...change.notes, ...(await notesOnNames(context, name, place))];
  return reportChange({ file: place.path, name, change: change.isThere ? "replaced" : "added" }, notes, context);
};

async function planAdding(
  current: CurrentConfig,
  entry: JsonObject,
  { name, replace, terminal }: Pick<AddArguments, "name" | "replace"> & Pick<CommandContext, "terminal">,
) {
  const { parsed, place } = current;
  const path = ["servers", name];
  const isThere = valueAt(parsed.data, path) !== undefined;
  if (isThere && replace !== true) {
    const line = parsed.positionOf(path, "name")?.line;
    throw usageError(
      `${sourcePlaceOf({ file: place.path, line })} has a server ${JSON.stringify(name)} already`,
      "give this one another name, or put it in the place of that one with --replace",
    );
  }
  const start = startFile(current);
  const edits: readonly ConfigEdit[] = [...start.edits, { path, value: entry }];
  const after = previewEdits(current, edits);
  const problems = await checkAdded(after, name, { place, terminal });
  const secrets = after.servers.flatMap(({ id, draft }) => (id === name ? secretsIn(draft) : []));
  return {
    edits,
    isThere,
    notes: [...start.notes, ...adviseOnSecrets(secrets), ...problems],
    isPrivate: place.scope !== "project" || secrets.length > 0,
  };
}

// What the environment lacks today it may have tomorrow.
const passing: ReadonlySet<ConfigProblem["code"]> = new Set([
  "unset_variable",
  "missing_input",
  "unreadable_reference",
]);

/**
 * Reads the entry as it would be read from the file. Returns what is odd
 * about it, as sentences.
 */
async function checkAdded(
  after: ConfigResult,
  name: string,
  { place, terminal }: { readonly place: ConfigPlace; readonly terminal: Terminal },
): Promise<readonly string[]> {
  const { env, home, platform, cwd } = terminal;
  const result = { ...after, settings: {} };
  // Relative paths of the user's own file begin nowhere.
  const layer: ConfigLayer =
    place.scope === "user"
      ? { scope: "user", result }
      : { scope: "command-line", result, baseFolder: dirname(place.path) };
  const { problems } = await loadConfig({
    files: [],
    layers: [layer],
    env,
    home,
    platform,
    cwd,
    allow: (id) => id === name,
  });
  const isThere = after.servers.some(({ id }) => id === name);
  const own = problems.filter(({ serverId, path }) => serverId === name || (!isThere && path.startsWith("servers")));
  const isWrong = own.some(({ code, severity }) => severity === "error" && !passing.has(code));
  // Of a text that is not written yet no line is worth anything.
  const words = own.map(({ file: _file, line: _line, column: _column, ...problem }) => formatProblem(problem));
  if (!isThere || isWrong) throw usageError(words.join("\n"), "nothing was written");
  return words;
}

/** Loads the configuration with the server in it, and says what else has its name. */
async function notesOnNames(
  context: CommandContext,
  name: string,
  { path, scope }: ConfigPlace,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const real = await realpath(path);
  // The user who writes an entry of a project has seen what it starts.
  const { config } = await loadConfigured(context, async ({ serverId, file }) => {
    if (scope !== "project" || serverId !== name || file !== real) return undefined;
    notes.push("it is trusted in this project, because you added it; others are asked (hostside trust)");
    return "trust";
  });
  const used = config.sources.find(({ serverId }) => serverId === name);
  if (used?.file === path) notes.push(...used.over.map((other) => `${other} has ${name}, too; this one is used`));
  else if (used !== undefined) notes.push(`${sourcePlaceOf(used)} has ${name}, too; that one is used`);
  const about = config.problems.filter(({ code, serverId, message }) =>
    code === "ids_alike" ? message.includes(JSON.stringify(name)) : code === "untrusted_server" && serverId === name,
  );
  return [...notes, ...about.map(formatProblem)];
}

/** Arguments of `remove`. */
export interface RemoveArguments extends PlaceRequest {
  readonly name: string;
}

/**
 * Takes a server out of a `hostside.json`. A server from another tool's file stays, because that
 * file is not ours.
 */
export const removeServer: CommandWork<RemoveArguments> = async (args, context) => {
  const { name } = args;
  const place = await findPlace(args, context);
  await changeConfig(context, {
    place,
    plan: ({ parsed }) => {
      const path = ["servers", name];
      // Somebody else may have been quicker.
      if (valueAt(parsed.data, path) === undefined)
        throw usageError(`${place.path} has no server ${JSON.stringify(name)}`);
      return { edits: [{ path, value: undefined }] };
    },
  });
  const { sources } = (await loadConfigured(context)).config;
  const other = sources.find(({ serverId }) => serverId === name);
  const notes: string[] = [];
  if (other !== undefined) {
    const state = other.off === undefined ? "used now" : `there now, and ${other.off}`;
    notes.push(`${sourcePlaceOf(other)} has ${name}, too; that one is ${state}`);
  }
  return reportChange({ file: place.path, name, change: "removed" }, notes, context);
};

async function findPlace(args: RemoveArguments, context: CommandContext): Promise<ConfigPlace> {
  const { name, user, project } = args;
  const isChosen = user === true || project === true;
  const places = isChosen ? [choosePlace(context, args)] : ownPlaces(context);
  // The strongest is the one that is used. What is broken is there as well.
  for (const place of places.toReversed()) {
    const { parsed } = await readCurrentConfig(place);
    if (valueAt(parsed.data, ["servers", name]) !== undefined) return place;
  }
  const { config } = await loadConfigured(context);
  const source = exactServer(config, name);
  throw usageError(
    `${name} comes from ${sourcePlaceOf(source)}, and ${isChosen ? "not from the file that was chosen" : "hostside leaves that file as it is"}`,
    `to have it off without removing it, put it on "denyServers" in the settings of your hostside.json`,
  );
}
