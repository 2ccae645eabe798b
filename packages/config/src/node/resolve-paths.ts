import { isAbsolute, join, resolve, relative, sep } from "node:path";
import type { ServerSpec } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { ConfiguredServer } from "../drafts/configured-server.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { serverProblem } from "../drafts/spec-fault.ts";
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";

/** The base of the relative paths of an entry. */
export interface PathBase {
  /** The folder of its project. Absent: a file of the user's own, which belongs to no folder. */
  readonly folder: string | undefined;
  /** True if its process starts in that folder, also where no path says so. */
  readonly startsThere: boolean;
  readonly home: string;
}

const script = /\.(?:[cm]?[jt]sx?|pyz?|rb|pl|php|sh|jar|ps1|dll|lua)$/i;
const interpreter =
  /^(?:node|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|sh|bash|zsh|pwsh|powershell|java|dotnet|lua)(?:\.exe)?$/i;

/**
 * The spec of a server with its program and working folder as absolute paths, by the folder of its
 * project. A relative program without such a folder is an error: it would be that of whatever
 * folder the host runs in.
 */
export function resolvePaths(
  spec: ServerSpec,
  server: ConfiguredServer,
  { folder, startsThere, home }: PathBase,
): { readonly spec?: ServerSpec; readonly problems: readonly ConfigProblem[] } {
  if (spec.command === undefined) return { spec, problems: [] };
  const problems: ConfigProblem[] = [];
  const report = (field: string, severity: ConfigProblem["severity"], message: string): void => {
    const problem = { severity, code: "relative_path", message, fix: "write an absolute path" } as const;
    problems.push(serverProblem(server, problem, field));
  };
  const refuse = (field: string, text: string): void =>
    report(field, "error", `${quoteText(text)} is relative, and would be that of any folder`);
  const place = (field: string, path: string, base: string | undefined): string => {
    if (/^~[\\/]/.test(path)) return join(home, path.slice(2));
    if (isAbsolute(path)) return path;
    if (base === undefined) refuse(field, path);
    return resolve(base ?? "", path);
  };
  const { args = [], env = {} } = spec;
  const cwd = spec.cwd === undefined ? undefined : place("cwd", spec.cwd, folder);
  const base = folder ?? cwd;
  const isPath = /[\\/]/.test(spec.command);
  const command = isPath ? place("command", spec.command, base) : spec.command;
  const relative = args.map((arg) => relativeKind(command, arg));
  for (const [index, arg] of args.entries()) {
    if (base === undefined && relative[index] === "program") refuse(`args[${index}]`, arg);
    if (base === undefined && relative[index] === "path") {
      const message = `${quoteText(arg)} is relative to whatever folder the host runs in`;
      report(`args[${index}]`, "warning", message);
    }
  }
  for (const [field, text] of [...args.map((arg, index) => [`args[${index}]`, arg] as const), ...variables(env)]) {
    if (/^~[\\/]/.test(text)) report(field, "warning", "no shell puts a folder in place of ~");
  }
  if (problems.some(({ severity }) => severity === "error")) return { problems };
  const start = cwd ?? (startsThere || relative.some((kind) => kind !== undefined) ? folder : undefined);
  return { spec: { ...spec, command, ...(start !== undefined && { cwd: start }) }, problems };
}

function variables(env: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(env).map(([name, value]) => [`env.${name}`, value] as const);
}

// `--import=./x.mjs` names a program as `./x.mjs` does.
function relativeKind(command: string, arg: string): "program" | "path" | undefined {
  const text = /^-[^=]*=(.*)$/s.exec(arg)?.[1] ?? arg;
  if (text.startsWith("-") || isAbsolute(text) || URL.canParse(text)) return undefined;
  const isDotted = /^\.\.?[\\/]/.test(text);
  const runs = interpreter.test(command.replace(/^.*[\\/]/s, ""));
  if (script.test(text) && (isDotted || runs)) return "program";
  return isDotted ? "path" : undefined;
}

/** A path without links in it; one that leads nowhere stays as it is. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Then there is nothing that it could be the other name of.
    return path;
  }
}

/** As {@linkcode realPathOf}, at once. */
export function realPathOfSync(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // As above.
    return path;
  }
}

/** True if a path is a folder or below it; both without links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
