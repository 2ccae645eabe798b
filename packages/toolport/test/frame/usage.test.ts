import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

describe("a command line that is wrong", () => {
  it("ends with 2 and names what is near", async () => {
    using terminal = fakeTerminal();
    const { code, out, err } = await runIn(terminal, ["lst"]);
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: "error: unknown command 'lst'\nDid you mean list?\n" });
  });
});
