import { shellLine } from "../../render/shell-word.ts";
import type { MachineFacts, ServerFacts } from "../facts.ts";
import type { DoctorFinding, Mend } from "../finding.ts";

const area = "program";

/** Whether the program of a server is there, and what is odd about how it is started. */
export function judgeProgram({ id, program }: ServerFacts, machine: MachineFacts): readonly DoctorFinding[] {
  if (program === undefined) return [];
  const { command, path, missingCwd, missingFiles, leavesContainers, inheritsAll } = program;
  const server = id;
  const findings: DoctorFinding[] = [];
  if (path !== undefined)
    findings.push({ level: "ok", area, server, what: command === path ? path : `${command}: ${path}` });
  else findings.push(judgeTrouble(server, program, machine));
  if (missingCwd !== undefined)
    findings.push({
      level: "problem",
      area,
      server,
      what: "the folder that it is to start in does not exist",
      evidence: [missingCwd],
      mend: { command: shellLine(["mkdir", ...(machine.platform === "win32" ? [] : ["-p"]), missingCwd]) },
    });
  if (missingFiles.length > 0)
    findings.push({
      level: "advice",
      area,
      server,
      what:
        missingFiles.length === 1
          ? "a path among its arguments does not exist"
          : "paths among its arguments do not exist",
      evidence: missingFiles,
      mend: { text: 'look at its "args": the file may have moved' },
    });
  if (leavesContainers)
    findings.push({
      level: "advice",
      area,
      server,
      what: "docker run without --rm: each start leaves a stopped container behind",
      mend: { text: 'add "--rm" to its "args", after "run"' },
    });
  if (inheritsAll === true)
    findings.push({
      level: "advice",
      area,
      server,
      what: "it gets the whole environment of this process, secrets included",
      mend: { text: 'name what it needs in "env" of a hostside.json, where "inheritEnv" is "safe"' },
    });
  return findings;
}

type Program = NonNullable<ServerFacts["program"]>;

function judgeTrouble(
  server: string,
  { command, trouble, blocked = "" }: Program,
  machine: MachineFacts,
): DoctorFinding {
  const finding = { level: "problem", area, server } as const;
  switch (trouble) {
    case "not-executable":
      return {
        ...finding,
        what: `${command}: not executable`,
        evidence: [blocked],
        mend: { command: shellLine(["chmod", "+x", blocked]) },
      };
    case "directory":
      return {
        ...finding,
        what: `${command}: a folder, not a program`,
        evidence: [blocked],
        mend: { text: 'name the program in it as its "command"' },
      };
    case "arguments-in-command":
      return {
        ...finding,
        what: `${JSON.stringify(command)}: there is no such program`,
        mend: { text: '"command" is the program alone; put each argument into "args"' },
      };
    default:
      return {
        ...finding,
        what: /[\\/]/.test(command) ? `${command}: there is no such file` : `${command}: not on the PATH`,
        mend: howToInstall(command, machine),
      };
  }
}

const downloads: Readonly<Record<string, string>> = {
  node: "install Node: https://nodejs.org",
  npm: "install Node, which brings npm: https://nodejs.org",
  npx: "install Node, which brings npx: https://nodejs.org",
  docker: "install Docker: https://docs.docker.com/get-docker",
  podman: "install Podman: https://podman.io",
  python: 'install Python: https://www.python.org; where it is called python3, write that as its "command"',
  python3: "install Python: https://www.python.org",
  pipx: "install pipx: https://pipx.pypa.io",
  go: "install Go: https://go.dev",
  cargo: "install Rust: https://rustup.rs",
  java: "install a Java runtime: https://adoptium.net",
  dotnet: "install .NET: https://dotnet.microsoft.com",
};

// Programs that npm has under the same name, but for bunx.
const ofNpm: Readonly<Record<string, string>> = {
  bun: "bun",
  bunx: "bun",
  deno: "deno",
  pnpm: "pnpm",
  pnpx: "pnpm",
  yarn: "yarn",
  tsx: "tsx",
  "mcp-remote": "mcp-remote",
};

function howToInstall(command: string, { platform }: MachineFacts): Mend {
  if (command === "uv" || command === "uvx")
    return {
      command:
        platform === "win32"
          ? "winget install --id=astral-sh.uv -e"
          : platform === "darwin"
            ? "brew install uv"
            : "curl -LsSf https://astral.sh/uv/install.sh | sh",
    };
  const npmName = Object.hasOwn(ofNpm, command) ? ofNpm[command] : undefined;
  if (npmName !== undefined) return { command: `npm install -g ${npmName}` };
  const download = Object.hasOwn(downloads, command) ? downloads[command] : undefined;
  return { text: download ?? `install ${command}, or give its absolute path as "command"` };
}
