import { posix, win32 } from "node:path";
import { redactSpec, type ServerSpec, type StdioEntry } from "@hostside/core";
import { shellLine } from "../render/render-text.ts";
import type { DoctorFinding, Mend } from "./finding.ts";
import { findProgram, type LookupPlace, type ProgramLookup } from "./find-program.ts";

const area = "program";

/** Looks for a server's program, its folder and the files among its arguments. */
export async function examineProgram(
  spec: StdioEntry & Pick<ServerSpec, "id">,
  place: LookupPlace,
): Promise<readonly DoctorFinding[]> {
  const { id: server, command, args = [] } = spec;
  const { files, platform } = place;
  const paths = platform === "win32" ? win32 : posix;
  const cwd = spec.cwd === undefined ? place.cwd : paths.resolve(place.cwd, spec.cwd);
  const env = { ...(spec.inheritEnv === "none" ? {} : place.env), ...spec.env };
  const found = await findProgram(command, { ...place, cwd, env });
  const findings: DoctorFinding[] = [
    "path" in found
      ? { level: "ok", area, server, what: command === found.path ? command : `${command}: ${found.path}` }
      : judgeTrouble(server, command, { found, platform }),
  ];
  const isMissing = async (path: string): Promise<boolean> => (await files.kindOf(path)) === "missing";
  if (spec.cwd !== undefined && (await isMissing(cwd))) {
    findings.push({
      level: "problem",
      area,
      server,
      what: "the folder that it is to start in does not exist",
      evidence: [cwd],
      mend: { command: shellLine(["mkdir", ...(platform === "win32" ? [] : ["-p"]), cwd]) },
    });
  }
  const { args: shown = [] } = redactSpec(spec) as StdioEntry;
  const candidates = args.filter((arg, index) => paths.isAbsolute(arg) && shown[index] === arg);
  const missing = await Promise.all(candidates.map(isMissing));
  const evidence = candidates.filter((_, index) => missing[index]);
  if (evidence.length > 0) {
    findings.push({
      level: "advice",
      area,
      server,
      what: "names paths in its arguments that do not exist",
      evidence,
      mend: { text: 'look at its "args": the file may have moved' },
    });
  }
  return findings;
}

interface Trouble {
  readonly found: Exclude<ProgramLookup, { readonly path: string }>;
  readonly platform: string;
}

function judgeTrouble(server: string, command: string, { found, platform }: Trouble): DoctorFinding {
  const finding = { level: "problem", area, server } as const;
  const [word = "", ...more] = command.trim().split(/\s+/);
  if (more.length > 0) {
    const mend = { text: '"command" is the program alone; put each argument into "args"' };
    return { ...finding, what: `${JSON.stringify(`${word} …`)}: there is no such program`, mend };
  }
  switch (found.trouble) {
    case "not-executable": {
      const mend = { command: shellLine(["chmod", "+x", found.blocked]) };
      return { ...finding, what: `${command}: not executable`, evidence: [found.blocked], mend };
    }
    case "directory": {
      const mend = { text: 'name the program in it as its "command"' };
      return { ...finding, what: `${command}: a folder, not a program`, evidence: [found.blocked], mend };
    }
    case "missing": {
      const what = /[\\/]/.test(command) ? `${command}: there is no such file` : `${command}: not on the PATH`;
      return { ...finding, what, mend: howToInstall(command, platform) };
    }
  }
}

const downloads = new Map([
  ["node", "install Node: https://nodejs.org"],
  ["npm", "install Node, which brings npm: https://nodejs.org"],
  ["npx", "install Node, which brings npx: https://nodejs.org"],
  ["docker", "install Docker: https://docs.docker.com/get-docker"],
  ["python", 'install Python: https://www.python.org; where it is called python3, write that as its "command"'],
  ["python3", "install Python: https://www.python.org"],
]);

function howToInstall(command: string, platform: string): Mend {
  if (command === "uv" || command === "uvx") {
    const ways: Readonly<Record<string, string>> = {
      win32: "winget install --id=astral-sh.uv -e",
      darwin: "brew install uv",
    };
    return { command: ways[platform] ?? "curl -LsSf https://astral.sh/uv/install.sh | sh" };
  }
  return { text: downloads.get(command) ?? `install ${command}, or give its absolute path as "command"` };
}
