import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/commands/create-program.ts";
import type { CommandContext } from "../../src/cli/command-context.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

describe("a command line that is wrong", () => {
  it.for([
    { argv: [], message: "a command is missing" },
    { argv: ["lst"], message: "unknown command 'lst'", hint: "(?:D|d)id you mean list\\?" },
    { argv: ["help", "lits"], message: "unknown command 'lits'", hint: "Did you mean list\\?" },
    { argv: ["list", "--jso"], message: "unknown option '--jso'", hint: "Did you mean --json\\?" },
    { argv: ["list", "a", "b"], message: "too many arguments for 'list'", hint: "see hostside help list" },
    { argv: ["--timeout", "0", "list"], message: "must be a number of seconds above 0" },
    { argv: ["list", "--timeout", "soon"], message: "must be a number of seconds above 0" },
    { argv: ["list", "--timeout=1e9"], message: "must be a number of seconds above 0" },
    { argv: ["list", "--config"], message: "argument missing" },
  ])("ends with 2 and says what would be right: $argv", async ({ argv, message, hint = "hostside" }) => {
    using terminal = fakeTerminal();
    const { code, out, err } = await runIn(terminal, argv);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(err).toMatch(new RegExp(`^hint: .*${hint}`, "m"));

    const json = await runIn(terminal, [...argv.slice(0, 1), "--json", ...argv.slice(1)]);
    expect(json.code).toBe(2);
    if (argv.includes("--config")) return;
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "usage", kind: "contract" } });
    expect(json.err).toBe(argv.length === 0 ? (await runIn(terminal, [])).err.replace(/^error:[^]*/m, "") : "");
  });
});

describe("global options", () => {
  const read = async (...argv: readonly string[]): Promise<CommandContext["options"]> => {
    using terminal = fakeTerminal();
    const program = createProgram(terminal, async () => undefined);
    await program.parseAsync(argv, { from: "user" });
    return program.opts();
  };

  it("are the same before and after the name of a command", async () => {
    const line = ["--config", "a.json", "--timeout", "2.5", "--quiet", "--verbose", "--json"];
    const wanted = { config: ["a.json"], timeout: 2.5, quiet: true, verbose: true, json: true };
    expect(await read(...line, "list", "one")).toEqual(wanted);
    expect(await read("list", "one", ...line)).toEqual(wanted);
  });

  it("collect every --config, each with one value", async () => {
    expect(await read("--config", "a.json", "list", "--config=b.json")).toEqual({ config: ["a.json", "b.json"] });
  });

  it("decide about colours over what the terminal is", async () => {
    using plain = fakeTerminal();
    using colored = fakeTerminal({ hasColors: true });
    const escape = "\u001B[";
    expect((await runIn(plain, ["nope"])).err).not.toContain(escape);
    expect((await runIn(plain, ["nope", "--color"])).err).toContain(escape);
    expect((await runIn(colored, ["nope"])).err).toContain(escape);
    expect((await runIn(colored, ["nope", "--no-color"])).err).not.toContain(escape);
    expect((await runIn(colored, ["--help"])).out).toContain(escape);
    expect((await runIn(colored, ["--help", "--no-color"])).out).not.toContain(escape);
    expect((await runIn(colored, ["--no-color", "--help"])).out).not.toContain(escape);
  });
});
