import { settingsId, type HostSettings } from "../drafts/host-settings.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { placeProblem } from "../parse/problem-list.ts";
import { findLoss, type ConfigLayer } from "./config-layer.ts";

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
export interface MergedSettings {
  readonly settings: HostSettings;
  readonly problems: readonly ConfigProblem[];
}

/**
 * The settings of several configurations, the stronger one last: each setting whole, as with
 * servers. Lists of servers only ever narrow: denied is what any of them denies, allowed what all
 * of them allow. A file of a project or of an extension can do nothing but narrow; what one says
 * about serving is kept apart. The files of a project that is not trusted change nothing. Nothing
 * is served where a `hostside.json` of the user's own is lost to an error.
 */
export function mergeSettings(
  all: readonly ConfigLayer[],
  answerAbout: SettingsAnswer = () => undefined,
): MergedSettings {
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
