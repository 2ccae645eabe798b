import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/commands/create-program.ts";
import { fakeTerminal } from "../fake-terminal.ts";
import { renderCommands } from "./render-commands.ts";

const file = fileURLToPath(new URL("../../../../docs/reference/cli.md", import.meta.url));
const mark =
  "<!-- What follows is written by `vitest run packages/hostside/test/cli-page -u` from what the commands declare. -->\n";

describe("docs/reference/cli.md", () => {
  using terminal = fakeTerminal();
  const program = createProgram(terminal, async () => undefined);

  it("says of every command what the program says", async () => {
    const [byHand = ""] = readFileSync(file, "utf8").split(mark);
    await expect(`${byHand}${mark}\n${renderCommands(program)}`).toMatchFileSnapshot(file);
  });
});
