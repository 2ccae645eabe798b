import { fixtureServer } from "@hostside/fixtures";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { worstOf, toAddress } from "../../src/cli/checking/check-servers.ts";
import { loadKit } from "../../src/cli/load-kit.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

const only = ["--only", "lifecycle/initialize-result"];

function terminalWith(mcpServers: object) {
  const terminal = fakeTerminal();
  terminal.file("mcp.json", { mcpServers });
  return terminal;
}

it("checks a server of the configuration and says how it went", async () => {
  using terminal = terminalWith({ good: fixtureServer("modern-stdio"), off: { command: "no-such-program" } });
  const { code, out, err } = await runIn(terminal, ["check", "good", "--config", "mcp.json", ...only]);
  expect([code, err]).toEqual([0, expect.stringMatching(/^Checking good \(\d+ checks\)\n$/)]);
  expect(out).toMatch(/PASS .*modern-stdio\.js\n/);
});

it("has one JSON document for several servers, and the exit code of the worst", async () => {
  using terminal = terminalWith({ a: { command: "no-such-program" }, b: { command: "no-such-program-either" } });
  const { code, out, err } = await runIn(terminal, ["check", "--json", "--config", "mcp.json", ...only]);
  expect([code, err]).toEqual([4, ""]);
  const { reports } = JSON.parse(out) as { reports: { server: string; report: { exitCode: number } }[] };
  expect(reports.map(({ server, report }) => [server, report.exitCode])).toEqual([
    ["a", 4],
    ["b", 4],
  ]);
});

it("does not pass over an entry that cannot be used", async () => {
  using terminal = terminalWith({ good: fixtureServer("modern-stdio"), bad: { command: 7 } });
  const { code, out, err } = await runIn(terminal, ["check", "--config", "mcp.json", ...only]);
  expect([code, out]).toEqual([3, expect.stringContaining("PASS ")]);
  expect(err).toMatch(/error: .*mcp\.json:\d+:\d+: mcpServers\.bad\.command/);
});

it("hands the kit what a server gets of the environment where it is used", async () => {
  const address = (transport: object) => toAddress({ id: "a", type: "stdio", command: "x", ...transport });
  expect(await address({})).toMatchObject({ server: { inheritEnv: "safe" } });
  expect(await address({ inheritEnv: "all" })).toMatchObject({ server: { inheritEnv: "all" } });
});

it("writes the report that is asked for", async () => {
  using terminal = terminalWith({ a: { command: "no-such-program" } });
  const report = join(terminal.cwd, "report.md");
  await runIn(terminal, ["check", "a", "--config", "mcp.json", "--report", report, ...only]);
  expect(existsSync(report)).toBe(true);
});

it.each([
  [["check", "b"], /no server "b"/],
  [["check", "a", "--only", "nothing"], /no check matches "nothing"\n/],
  [["check", "a", "--call", "x=1"], /--call x: /],
  [["check", "a", "--report", "x.pdf"], /must end with one of \.json/],
  [["check", "--report", "x.md"], /about one server/],
])("refuses %j before anything starts", async (argv, message) => {
  using terminal = terminalWith({ a: { command: "no-such-program" } });
  const { code, out, err } = await runIn(terminal, [...argv, "--config", "mcp.json"]);
  expect([code, out, err]).toEqual([2, "", expect.stringMatching(message)]);
});

it("says how to install the kit where it is missing, and blames it for nothing else that is", async () => {
  const missing = (name: string) => () =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${name}' imported from x`), { code: "ERR_MODULE_NOT_FOUND" }),
    );
  await expect(loadKit("check", missing("@hostside/conformance"))).rejects.toMatchObject({
    name: "UsageError",
    hint: expect.stringMatching(/^npm install --save-dev hostside @hostside\/conformance, or without/),
  });
  await expect(loadKit("check", missing("ajv"))).rejects.toThrow("Cannot find package 'ajv'");
});

it.each([
  [[0, 0], 0],
  [[0, 3], 3],
  [[3, 5], 5],
  [[5, 4], 4],
  [[4, 1], 1],
  [[], 3],
])("of runs that end with %j the worst is %d", (codes, code) => {
  expect(worstOf(codes)).toBe(code);
});
