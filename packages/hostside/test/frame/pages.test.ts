import { split } from "shlex";
import { describe, expect, it } from "vitest";
import { takeTypedServer } from "../../src/cli/opening/typed-server.ts";
import { createProgram } from "../../src/cli/commands/create-program.ts";
import { pages } from "../../src/cli/commands/declare.ts";
import { widthOf } from "../../src/cli/render/text-width.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

using terminal = fakeTerminal();
const program = createProgram(terminal, async () => undefined);
const commands = program.createHelp().visibleCommands(program);

/** The arguments of a command line as it is typed, up to where the shell takes over. */
function argvOf(line: string): readonly string[] {
  const words = split(line);
  const end = words.findIndex((word) => ["|", ">", ">>", "<", "&&"].includes(word));
  return words.slice(1, end === -1 ? undefined : end);
}

describe("the pages of help", () => {
  it.for(commands.map((command) => command.name()))("say what %s does, with examples that parse", async (name) => {
    const command = commands.find((one) => one.name() === name);
    if (command === undefined) throw new TypeError(name);
    expect(command.description()).not.toBe("");
    const examples = Object.entries(pages.get(command)?.examples ?? {});
    expect(examples.length).toBeGreaterThan(0);
    for (const [line, does] of examples) {
      expect(does).not.toBe("");
      expect(line).toMatch(/^hostside /);
      let ran = 0;
      using own = fakeTerminal();
      const fresh = createProgram(own, async () => void (ran += 1));
      await fresh.parseAsync(takeTypedServer(argvOf(line), fresh).line, { from: "user" });
      expect({ line, ran }).toEqual({ line, ran: 1 });
    }
  });

  it("have one line for each command, under a heading that says what it is for", async () => {
    using wide = fakeTerminal({ columns: 120 });
    const { code, out } = await runIn(wide, ["--help"]);
    expect(code).toBe(0);
    for (const command of commands) {
      expect(out).toMatch(new RegExp(`^  ${command.name()}\\b.* {2}`, "m"));
      expect(command.helpGroup()).not.toBe("");
    }
  });

  it.for([[], ...commands.map((command) => [command.name()])])(
    "are no wider than the terminal but for lines that are to be copied: %s",
    async (name) => {
      using narrow = fakeTerminal({ columns: 60 });
      const { code, out, err } = await runIn(narrow, ["help", ...name]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const read = out.split("\n").filter((line) => !line.startsWith("  hostside "));
      expect(read.filter((line) => widthOf(line) > 60)).toEqual([]);
    },
  );

  it("are the same by `help NAME` and `NAME --help`", async () => {
    using one = fakeTerminal();
    const byName = await runIn(one, ["help", "help"]);
    expect((await runIn(one, ["help", "--help"])).out).toBe(byName.out);
    expect(byName.out).toMatch(/Usage:[^]*Arguments:[^]*Options:[^]*Examples:[^]*Exit codes:\n {2}0/);
  });

  it("tell the version of the package", async () => {
    using one = fakeTerminal();
    const { code, out } = await runIn(one, ["-v"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/) });
  });
});
