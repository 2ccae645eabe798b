import { realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expandConfig, formatProblem, type ConfigEdit, type ConfigProblem, type ConfigResult } from "@hostside/config";
import { readText } from "@hostside/config/node";
import type { JsonObject } from "@hostside/core";
import type { CommandContext, CommandWork } from "../command-context.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../exit-codes.ts";
import { adviseOn, type Advice } from "./find-secrets.ts";
import { buildEntry, type EntryArguments } from "../opening/config-files.ts";
import { changeConfig, previewEdits, valueAt, startFile, type CurrentConfig, type FileChange } from "./edit-config.ts";
import { choosePlace, type ConfigPlace, type PlaceRequest } from "./choose-place.ts";
import { loadConfigured, sourcePlaceOf } from "./load-configured.ts";
import { readPastedEntry, type PastedEntry } from "./read-pasted-entry.ts";
import { reportChanges } from "./report-changes.ts";

/** Arguments of `add`. */
export interface AddArguments extends EntryArguments, PlaceRequest {
  readonly name: string;
  /** `"-"`: from stdin. */
  readonly jsonEntry?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
  readonly replace?: boolean | undefined;
}

/**
 * Writes a server into a `hostside.json`, after everything that can be known without starting it
 * was looked at.
 */
export const runAddCommand: CommandWork<AddArguments> = async (args, context) => {
  const { name, allow, deny, disabled } = args;
  const place = choosePlace(context, args);
  const pasted = await readEntry(args, context);
  const entry = {
    ...pasted.entry,
    ...(allow !== undefined && { allow: [...allow] }),
    ...(deny !== undefined && { deny: [...deny] }),
    ...(disabled === true && { disabled }),
  };
  assertReadable(name, entry);
  const { change } = await changeConfig(context, {
    place,
    plan: (current) => planAdding(current, { ...pasted, entry }, { ...args, terminal: context.terminal }),
  });
  const notes = [...change.notes, ...(await notesOnNames(context, name, place))];
  const done = change.isThere ? "replaced" : "added";
  return reportChanges({ changes: [{ file: place.path, name, change: done }], notes }, context);
};

async function readEntry(args: AddArguments, { terminal }: CommandContext): Promise<PastedEntry> {
  const { name, jsonEntry, words } = args;
  if (jsonEntry === undefined) return { entry: buildEntry(name, args, terminal.cwd), inputs: [], notes: [] };
  const others = [args.env, args.header, args.cwd].some((given) => given !== undefined);
  if (words.length > 0 || others) {
    throw usageError("--json-entry says all of a server", "leave out the command, --env, --header and --cwd");
  }
  return readPastedEntry(name, jsonEntry === "-" ? await text(terminal.stdin) : jsonEntry);
}

// Every reader of the file would warn of it. It may be amid a secret, so that nothing of it is
// shown.
function assertReadable(name: string, entry: JsonObject): void {
  const part = name.includes("\uFFFD") ? "the name" : "the entry";
  if (part === "the entry" && !JSON.stringify(entry).includes("\uFFFD")) return;
  throw usageError(
    `${part} has U+FFFD, which is what a character that cannot be read is taken for`,
    "nothing was written",
  );
}

interface Adding extends FileChange {
  readonly isThere: boolean;
  readonly notes: readonly string[];
}

interface AddingMeans extends Pick<AddArguments, "name" | "replace">, Pick<CommandContext, "terminal"> {}

async function planAdding(current: CurrentConfig, pasted: PastedEntry, means: AddingMeans): Promise<Adding> {
  const { parsed, place } = current;
  const { name, replace, terminal } = means;
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
  const there = current.result.settings.inputs ?? [];
  const listed = valueAt(parsed.data, ["inputs"]);
  const count = Array.isArray(listed) ? listed.length : 0;
  const missing = pasted.inputs.filter(({ id }) => !there.some((one) => one.id === id));
  const asked = missing.map((one, index) => ({ path: ["inputs", count + index], value: { ...one } as JsonObject }));
  const edits: readonly ConfigEdit[] = [...start.edits, ...asked, { path, value: pasted.entry }];
  const advice = await checkAdded(previewEdits(current, edits), name, { file: place.path, terminal });
  return {
    edits,
    isThere,
    notes: [...start.notes, ...pasted.notes, ...advice.notes],
    isPrivate: place.scope !== "project" || advice.hasSecrets,
  };
}

// What the environment lacks today it may have tomorrow.
const passing: ReadonlySet<ConfigProblem["code"]> = new Set([
  "unset_variable",
  "missing_input",
  "unreadable_reference",
]);

async function checkAdded(
  after: ConfigResult,
  name: string,
  { file, terminal }: { readonly file: string; readonly terminal: Terminal },
): Promise<Advice> {
  const server = after.servers.find(({ id }) => id === name);
  const own = after.problems.filter(({ serverId, path }) => serverId === name || path.startsWith("servers"));
  if (server === undefined) throw usageError(own.map(inWords).join("\n"), "nothing was written");
  const { env, home, platform, cwd } = terminal;
  const { problems } = await expandConfig(server, {
    env,
    platform,
    files: (path) => readText(path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(dirname(file), path)),
    folders: { workspaceFolder: cwd, userHome: home, configFolder: dirname(file) },
  });
  const wrong = problems.filter(({ code, severity }) => severity === "error" && !passing.has(code));
  if (wrong.length > 0) throw usageError(wrong.map(inWords).join("\n"), "nothing was written");
  const alike = own.filter(({ serverId }) => serverId === name);
  const { notes, hasSecrets } = adviseOn(server.draft);
  return { notes: [...notes, ...[...alike, ...problems].map(inWords)], hasSecrets };
}

// Of a text that is not written yet no line is worth anything.
function inWords({ path, message, fix, severity, code }: ConfigProblem): string {
  return formatProblem({ path, message, fix, severity, code });
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
