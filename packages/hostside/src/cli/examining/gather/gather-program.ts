import { posix, win32 } from "node:path";
import { redactSpec, type ServerSpec, type StdioEntry } from "@hostside/core";
import type { ProgramFacts } from "../facts.ts";
import { lookUpProgram, type LookupPlace } from "./find-program.ts";

/** Looks up what a server would be started with. Starts nothing. */
export async function gatherProgram(
  spec: StdioEntry & Pick<ServerSpec, "id">,
  place: LookupPlace,
): Promise<ProgramFacts> {
  const { command, args = [] } = spec;
  const { files, platform } = place;
  const paths = platform === "win32" ? win32 : posix;
  const cwd = spec.cwd === undefined ? place.cwd : paths.resolve(place.cwd, spec.cwd);
  const env = { ...(spec.inheritEnv === "none" ? {} : place.env), ...spec.env };
  const found = await lookUpProgram(command, { ...place, cwd, env });
  const isMissing = async (path: string): Promise<boolean> => (await files.kindOf(path)) === "missing";
  // What follows a blank may be arguments that were put in the wrong place, secrets among them.
  const [word = "", ...more] = command.trim().split(/\s+/);
  const hasArguments = more.length > 0 && !("path" in found);
  const shown = redactSpec(spec);
  const shownArgs = shown.command === undefined ? [] : (shown.args ?? []);
  const candidates = args.filter((arg, index) => paths.isAbsolute(arg) && shownArgs[index] === arg);
  const missing = await Promise.all(candidates.map(isMissing));
  const npxPackage = readNpxPackage(command, args);
  return {
    command: more.length > 0 ? `${word} …` : word,
    ...("path" in found ? { path: found.path } : {}),
    ...("trouble" in found && { trouble: hasArguments ? "arguments-in-command" : found.trouble }),
    ...("blocked" in found && { blocked: found.blocked }),
    ...(spec.cwd !== undefined && (await isMissing(cwd)) && { missingCwd: cwd }),
    missingFiles: candidates.filter((_, index) => missing[index]),
    leavesContainers: leavesContainers(command, args),
    ...(spec.inheritEnv === "all" && { inheritsAll: true }),
    ...(npxPackage !== undefined && { npxPackage }),
  };
}

function baseName(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.(?:exe|cmd)$/, "");
}

function leavesContainers(command: string, args: readonly string[]): boolean {
  return ["docker", "podman"].includes(baseName(command)) && args.includes("run") && !args.includes("--rm");
}

function readNpxPackage(command: string, args: readonly string[]): string | undefined {
  if (baseName(command) !== "npx") return undefined;
  const name = args.find((arg) => !arg.startsWith("-"));
  return name !== undefined && /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?$/.test(name) ? name : undefined;
}
