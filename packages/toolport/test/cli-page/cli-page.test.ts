import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program/create-program.ts";
import { pageOf } from "../../src/cli/program/describe-page.ts";
import { fakeTerminal } from "../fake-terminal.ts";
import { commandsOf, lineOf, renderCommands } from "./render-commands.ts";

const file = fileURLToPath(new URL("../../../../docs/cli.md", import.meta.url));
const mark =
  "<!-- What follows is written by `vitest run packages/toolport/test/cli-page -u` from what the commands declare. -->\n";

describe("docs/cli.md", () => {
  using terminal = fakeTerminal();
  const program = createProgram(
    terminal,
    async () => undefined,
    async () => 0,
  );
  const commands = commandsOf(program);

  it("says of every command what the program says", async () => {
    const [byHand = ""] = readFileSync(file, "utf8").split(mark);
    await expect(`${byHand}${mark}\n${renderCommands(program)}`).toMatchFileSnapshot(file);
  });

  it.for(commands.map((command) => [lineOf(command), command] as const))(
    "%s has a page with examples",
    ([line, command]) => {
      const examples = pageOf(command)?.examples ?? [];
      expect(examples.length).toBeGreaterThan(0);
      expect(examples.some((example) => example.line.includes(line))).toBe(true);
    },
  );

  const examples = commands.flatMap((command) => (pageOf(command)?.examples ?? []).map(({ line }) => line));
  it.for(examples)("%s can be typed", async (line) => {
    const { error } = await parse(line);
    expect(error).toBeUndefined();
  });
});

/** Reads a line as the program does, and does nothing of it. */
async function parse(line: string): Promise<{ readonly error: unknown }> {
  using terminal = fakeTerminal();
  const program = createProgram(
    terminal,
    async () => undefined,
    async () => 0,
  );
  const [, , rest = ""] = /(^|\| )toolport ?([^|<>]*)/.exec(line) ?? [];
  const words = Array.from(
    rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  try {
    await program.parseAsync(words, { from: "user" });
    return { error: undefined };
  } catch (error) {
    return { error };
  }
}
