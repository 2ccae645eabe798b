import { execFile } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/commands/create-program.ts";
import { completeWords, type CompletionSources } from "../../src/cli/interactive/complete.ts";
import { shellScripts } from "../../src/cli/interactive/shell-scripts.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { runInTerminal } from "../terminal/run-in-terminal.ts";
import { createWorkFolder } from "../terminal/work-folder.ts";

const bin = fileURLToPath(new URL("../../bin/hostside.js", import.meta.url));

function withServers(terminal: FakeTerminal, ...ids: readonly string[]): string {
  const mcpServers = Object.fromEntries(ids.map((id) => [id, { command: "must-not-start" }]));
  return terminal.file("mcp.json", { mcpServers });
}

describe("completeWords()", () => {
  const sources: CompletionSources = {
    servers: async () => [{ value: "files" }, { value: "mail" }, { value: "has blanks" }],
    tools: async () => [
      { value: "files/read", about: "mcp_files_read" },
      { value: "files/write", about: "mcp_files_write" },
    ],
  };
  const complete = async (...words: readonly string[]): Promise<unknown> => {
    using terminal = fakeTerminal();
    const program = createProgram(terminal, async () => undefined);
    return (await completeWords(program, words, sources)).map(({ value }) => value);
  };

  it.for([
    { words: ["li"], wanted: ["list"] },
    { words: ["--json", "lis"], wanted: ["list"] },
    { words: ["list", ""], wanted: ["files", "mail"] },
    { words: ["list", "m"], wanted: ["mail"] },
    { words: ["--config", "list", "list", "f"], wanted: ["files"] },
    { words: ["list", "files", ""], wanted: [] },
    { words: ["list", "--jso"], wanted: ["--json"] },
    { words: ["list", "--config", ""], wanted: [] },
    { words: ["list", "--config=a"], wanted: [] },
    { words: ["list", "--timeout", ""], wanted: [] },
    { words: ["call", ""], wanted: ["files/read", "files/write"] },
    { words: ["call", "files/r"], wanted: ["files/read"] },
    { words: ["show", "files/w"], wanted: ["files/write"] },
    { words: ["completion", ""], wanted: ["bash", "zsh", "fish"] },
    { words: ["help", "comp"], wanted: ["completion"] },
    { words: ["comp"], wanted: ["completion"] },
  ])("completes $words", async ({ words, wanted }) => {
    expect(await complete(...words)).toEqual(wanted);
  });
});

describe("completion of texts of a server", () => {
  it("leaves out what a terminal would obey, and whatever else nobody can type", async () => {
    using terminal = fakeTerminal();
    const program = createProgram(terminal, async () => undefined);
    const hostile = ["\u001B[2Jx", "x\u001B]0;mine\u0007", "two\nlines", "\u202Ex", ""];
    const candidates = (kept: string) => [...hostile, kept].map((value) => ({ value }));
    const sources: CompletionSources = {
      servers: async () => candidates("files"),
      tools: async () => candidates("read"),
    };
    const complete = async (...words: readonly string[]) => completeWords(program, [...words, ""], sources);
    expect(await complete("list")).toEqual([{ value: "files" }]);
    expect(await complete("show")).toEqual([{ value: "read" }]);
  });
});

describe("completion", () => {
  it.for(["bash", "zsh", "fish"] as const)("prints the script of %s, by name or by $SHELL", async (shell) => {
    using terminal = fakeTerminal({ env: { SHELL: `/bin/${shell}` } });
    const script = shellScripts[shell];
    expect(await runIn(terminal, ["completion"])).toEqual({ code: 0, out: script, err: "" });
    expect(JSON.parse((await runIn(terminal, ["completion", shell, "--json"])).out)).toEqual({ shell, script });
  });

  it("is a usage error for a shell that there is none for", async () => {
    using terminal = fakeTerminal({ env: { SHELL: "/bin/csh" } });
    expect(await runIn(terminal, ["completion"])).toMatchObject({ code: 2, out: "" });
    expect(await runIn(terminal, ["completion", "csh"])).toMatchObject({ code: 2, out: "" });
  });

  it("knows servers and tools without starting anything, and nothing of a broken configuration", async () => {
    using terminal = fakeTerminal();
    const config = withServers(terminal, "files", "my server");
    const ask = async (...words: readonly string[]) => (await runIn(terminal, ["complete", "--", ...words])).out;
    expect(await ask("--config", config, "list", "")).toBe("files\tcommand-line\n");
    terminal.file("mcp.json", "{ half");
    expect(await ask("--config", config, "list", "")).toBe("");
    expect(await ask("--config", "nowhere.json", "list", "")).toBe("");
  });

  it("completes lines in a real bash", async () => {
    using terminal = fakeTerminal();
    withServers(terminal, "files", "a:b", "it's $(touch pwned)");
    const folder = join(terminal.cwd, "bin");
    mkdirSync(folder);
    symlinkSync(bin, join(folder, "hostside"));
    const script = terminal.file(
      "complete.sh",
      `${shellScripts.bash}
      COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      ask() { COMP_LINE=$1 COMP_POINT=\${#1}; _hostside hostside "$2" ""; printf '<%s>' "\${COMPREPLY[@]}"; echo; }
      ask 'hostside --config mcp.json list fi' 'fi'
      ask 'hostside --config mcp.json list a:' ''
      ask 'hostside --config mcp.json list it' it`,
    );
    const env = { ...terminal.env, PATH: `${folder}:${terminal.env["PATH"]}` };
    const { stdout } = await promisify(execFile)("bash", [script], { cwd: terminal.cwd, env });
    expect(stdout.split("\n")).toEqual(["<files>", "<b>", "<>", ""]);
  });

  const settings = {
    bash: { rc: ".bashrc", args: ["--noprofile", "--rcfile", ".bashrc", "-i"], first: "" },
    zsh: { rc: ".zshrc", args: ["-i"], first: "autoload -Uz compinit && compinit -u -D\n" },
    fish: { rc: "fish/config.fish", args: ["-i"], first: "" },
  } as const;
  const folders = (process.env["PATH"] ?? "").split(delimiter);

  it.for(["bash", "zsh", "fish"] as const)(
    "completes what a person types in %s, where that is installed",
    async (shell, { skip }) => {
      if (!folders.some((folder) => existsSync(join(folder, shell)))) skip(`there is no ${shell} here`);
      const { rc, args, first } = settings[shell];
      await using work = await createWorkFolder();
      await work.write({
        "mcp.json": { mcpServers: { files: { command: "must-not-start" } } },
        [rc]: `${first}${shellScripts[shell]}\n`,
        "bin/hostside": `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
      });
      await chmod(join(work.folder, "bin/hostside"), 0o755);
      const env = {
        PATH: `${join(work.folder, "bin")}:${work.env["PATH"]}`,
        ZDOTDIR: work.folder,
        XDG_CONFIG_HOME: work.folder,
        PS1: "ready> ",
        PROMPT: "ready> ",
      };
      await using terminal = runInTerminal(work, args, { program: shell, env });
      await terminal.waitForScreen(/[>#$%] ?$/);
      terminal.type("hostside --config=mcp.j\tlist fi\t");
      const completed = "hostside --config=mcp.json list files";
      expect(await terminal.waitForScreen(completed)).toContain(completed);
    },
  );
});
