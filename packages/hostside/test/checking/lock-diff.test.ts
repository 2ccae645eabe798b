import { createPolicy } from "@hostside/policy";
import { startHttpFixture } from "@hostside/fixtures";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

let terminal: FakeTerminal;
let server: Awaited<ReturnType<typeof startHttpFixture>>;

beforeAll(async () => {
  terminal = fakeTerminal();
  server = await startHttpFixture("modern-http");
});
afterAll(async () => {
  terminal[Symbol.dispose]();
  await server.close();
});

const configure = (urls: Readonly<Record<string, string>>): void => {
  const entries = Object.entries(urls).map(([id, url]) => [id, { type: "http", url }]);
  terminal.file("mcp.json", { mcpServers: Object.fromEntries(entries) });
};
const run = (...argv: readonly string[]) => runIn(terminal, [...argv, "--config", "mcp.json"]);
const lockText = (): string => readFileSync(join(terminal.cwd, "hostside-lock.json"), "utf8");
// Nothing listens there.
const nowhere = "http://127.0.0.1:9/mcp";

it("diff without a lock file says what writes one, and starts nothing", async () => {
  configure({ good: server.url });
  const { code, err } = await run("diff");
  expect(code).toBe(2);
  expect(err).toMatch(/hostside-lock\.json does not exist[^]*hostside lock/);
});

it("writes what servers offer, whole, and what pins take as it is", async () => {
  configure({ good: server.url });
  const { code, out } = await run("lock", "--json");
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { written: true, locked: [{ server: "good", was: "new" }], failed: [] },
  ]);
  const { servers: locks } = JSON.parse(lockText()) as { servers: Record<string, string> };
  expect(() => createPolicy({ pins: { locks } })).not.toThrow();
  expect(readdirSync(terminal.cwd).sort()).toEqual(["hostside-lock.json", "mcp.json"]);
  expect((await run("diff", "--strict")).code).toBe(0);
});

it("loses nothing of a server that cannot be reached, and says so", async () => {
  configure({ good: nowhere, next: server.url });
  const lock = await run("lock");
  expect(lock.code).toBe(4);
  expect(lock.err).toMatch(/good .*its lock stays as it was/);
  expect(Object.keys((JSON.parse(lockText()) as { servers: object }).servers)).toEqual(["good", "next"]);
  const diff = await run("diff");
  expect([diff.code, diff.out]).toEqual([3, expect.stringContaining("The servers offer what")]);
});

it("finds what changed, and fails on what counts", async () => {
  configure({ next: server.url });
  const gone = await run("diff", "--json");
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.out)).toMatchObject({
    changes: [{ server: "good", kind: "breaking" }],
    counts: { breaking: 1, security: 0, compatible: 0 },
  });
  configure({ next: server.url, good: server.url, new: server.url });
  expect([(await run("diff")).code, (await run("diff", "--strict")).code]).toEqual([0, 1]);
});

it("asks the named servers alone, and leaves the others as they are", async () => {
  configure({ next: server.url });
  expect((await run("diff", "--server", "next")).code).toBe(0);
  expect((await run("lock", "--server", "next")).code).toBe(0);
  expect(lockText()).toContain('"good": {');
});

it("says that what cannot be read was not compared, unless others are named", async () => {
  configure({ good: server.url, next: server.url });
  expect((await run("lock")).code).toBe(0);
  terminal.file("broken.json", "{ x");
  const all = await run("diff", "--config", "broken.json");
  expect([all.code, all.err]).toEqual([
    3,
    expect.stringMatching(/cannot be read, and was not compared: hostside doctor/),
  ]);
  const named = await run("diff", "--server", "next", "--config", "broken.json");
  expect([named.code, named.err]).toEqual([0, expect.not.stringMatching(/was not compared/)]);
});

it("does not write over a file that is something else, and starts nothing for it", async () => {
  const file = terminal.file("other.json", '{"lockVersion":1,"tools":[]}');
  configure({ good: nowhere });
  const { code, err } = await run("lock", file);
  expect([code, err]).toEqual([2, expect.stringContaining("lock of one server")]);
  expect(readFileSync(file, "utf8")).toBe('{"lockVersion":1,"tools":[]}');
});

it("writes nothing where no server could be reached", async () => {
  configure({ good: nowhere });
  const { code } = await run("lock", "none.json");
  expect([code, existsSync(join(terminal.cwd, "none.json"))]).toEqual([4, false]);
});

it("ends with the code of a mistake where the file cannot be written, which stays as it was", async () => {
  configure({ good: server.url });
  const file = terminal.file("kept.json", '{"lockVersion":1,"servers":{}}');
  chmodSync(file, 0o444);
  const { code, err } = await run("lock", "kept.json");
  expect([code, err]).toEqual([2, expect.stringContaining("kept.json: it is read-only")]);
  expect(readFileSync(file, "utf8")).toBe('{"lockVersion":1,"servers":{}}');
});

/** Lists one tool, and answers every cursor as `next` says; `more` is beside the tool's name and schema. */
const listing = ({ more = {}, next }: { readonly more?: object; readonly next?: string | undefined }): string => `
  const tool = (name) => ({ name, inputSchema: { type: "object" }, ...${JSON.stringify(more)} });
  const more = ${next ?? "undefined"};
  const answers = {
    initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }),
    "tools/list": ({ cursor = "" } = {}) => cursor === "" || more === undefined
      ? { tools: [tool("one")], ...(more && { nextCursor: "." }) }
      : more(cursor),
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = answers[method]?.(params);
    const answer = result === undefined ? { error: { code: -32603, message: "no" } } : { result };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  });
`;
const deep: object = Array.from({ length: 300 }).reduce<object>((inner) => ({ inner }), {});

it.each([
  ["whose second page fails", { next: "() => undefined" }, "ended its list of tools early (page-failed)"],
  [
    "whose cursor repeats",
    { next: `(cursor) => ({ tools: [tool("two")], nextCursor: cursor })` },
    "ended its list of tools early (repeated-cursor)",
  ],
  [
    "whose list has no end",
    { next: `(cursor) => ({ tools: [tool("t" + cursor.length)], nextCursor: cursor + "." })` },
    "ended its list of tools early (page-limit)",
  ],
  ["with an entry that nobody can keep", { more: { deep } }, 'has a tool whose entry cannot be kept: "one"'],
])("takes no lock of a server %s, and does not compare it", async (_what, odd, reason) => {
  using own = fakeTerminal();
  const offer = (code: string): void =>
    void own.file("mcp.json", { mcpServers: { own: { command: process.execPath, args: ["-e", code] } } });
  const runOwn = (...argv: readonly string[]) => runIn(own, [...argv, "--config", "mcp.json"]);
  const locked = (): string => readFileSync(join(own.cwd, "hostside-lock.json"), "utf8");
  offer(listing({}));
  expect(await runOwn("lock")).toMatchObject({ code: 0 });
  const before = locked();
  offer(listing(odd));
  const lock = await runOwn("lock", "--json");
  expect([lock.code, JSON.parse(lock.out)]).toMatchObject([4, { locked: [], failed: [{ server: "own", reason }] }]);
  expect(locked()).toBe(before);
  const diff = await runOwn("diff", "--json");
  expect([diff.code, JSON.parse(diff.out)]).toMatchObject([3, { changes: [], failed: [{ server: "own", reason }] }]);
});

it("stops on Ctrl-C without a comparison, and says so", async () => {
  using own = fakeTerminal();
  // Answers nothing, and goes when it is told to.
  const hang = { command: process.execPath, args: ["-e", `process.stdin.resume().on("end", () => process.exit())`] };
  own.file("mcp.json", { mcpServers: { next: { type: "http", url: server.url }, hang } });
  own.file("hostside-lock.json", { lockVersion: 1, servers: {} });
  const running = runIn(own, ["diff", "--config", "mcp.json"]);
  await vi.waitFor(() => expect(own.written.err).toContain("next ready"), { timeout: 60_000, interval: 5 });
  own.interrupt();
  const { code, out, err } = await running;
  expect([code, out]).toEqual([3, ""]);
  expect(err).toContain("Stopped: nothing was compared.\n");
  expect(err).not.toContain("did not come up");
});
