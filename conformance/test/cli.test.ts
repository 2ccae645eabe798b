import { startFaultServer } from "@hostside/fixtures";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aliveInGroup } from "../src/engine/live-processes.ts";
import { oddServer } from "./mutants/run-mutant.ts";
import { runKit as run } from "./run-kit.ts";

const good = ["--", process.execPath, oddServer, "none"];
const few = ["--only", "requests/probe", "--no-preview"];

let folder = "";
const file = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-cli-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a command line that is wrong exits with 2 and starts nothing", () => {
  it.each<[string, readonly string[], string]>([
    ["unknown command", ["serve"], 'unknown command "serve"; there are server, host and compare'],
    ["unknown option", ["server", "--strictly"], "there is no option --strictly; like it is --strict\nRun hostside-"],
    ["a slip in an option", ["server", "--jsn", "x", "--", "x"], "there is no option --jsn; like it is --json\nRun"],
    ["two letters swapped", ["server", "--olny=x", "--", "x"], "there is no option --olny; like it is --only\nRun"],
    ["an option like no other", ["server", "-q", "--verbose", "--", "x"], "there is no option -q\nRun hostside-"],
    ["no value", ["server", "--json"], "Option '--json <value>' argument missing"],
    ["no server", ["server"], "no server given"],
    ["two servers", ["server", "--url", "http://localhost/", "--", "node"], "give one of"],
    ["a program before --", ["server", "node"], 'unexpected "node"; put the program after --'],
    ["a URL alone", ["server", "http://h/mcp"], 'unexpected "http://h/mcp"; a URL is that of --url'],
    ["no URL", ["server", "--url", "localhost"], 'not a URL: "localhost"'],
    ["another protocol", ["server", "--url", "ftp://localhost"], "must be http or https"],
    ["unknown check in --only", ["server", "--only", "stdoi", "--", "x"], 'no check matches "stdoi"'],
    ["nothing left to run", ["server", "--only", "http", "--skip", "http", "--", "x"], "leave no check to run"],
    ["unknown check in --explain", ["--explain", "x/y"], 'no check "x/y"'],
    ["no seed", ["server", "--seed", "x", "--", "x"], "--seed must be a whole number"],
    ["a level of a server", ["server", "--level", "survive", "--", "x"], "--level is for host, not for server"],
    ["a server of a host", ["host", "--url", "http://localhost", "--", "x"], "--url is for server, not for host"],
    ["a report of a comparison", ["compare", "a", "b", "--html", "c"], "not for compare"],
    ["a name without a file", ["server", "--server", "a", "--", "x"], "--server names one of the servers of --config"],
    ["a header for a program", ["server", "--header", "a: b", "--", "x"], "are for servers at a URL"],
    [
      "no time",
      ["server", "--start-timeout", "soon", "--", "x"],
      "--start-timeout must be a number of seconds above 0",
    ],
    ["arguments that are no JSON", ["server", "--call", "a=b", "--", "x"], "--call a: what follows ="],
    ["a report in a file", ["server", "--json", "package.json/x", "--", "x"], "ENOTDIR, package.json is no folder"],
    ["a header without a name", ["server", "--url", "http://localhost", "--header", "x"], "--header must be"],
    ["no baseline there", ["server", "--baseline", "missing.json", "--", "x"], "--baseline missing.json: ENOENT"],
    ["no configuration there", ["server", "--config", "missing.json", "--server", "a"], "missing.json: ENOENT"],
    ["no driver", ["host"], "host needs a driver"],
  ])("%s", async (_, argv, message) => {
    const { code, err, out } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });

  it("a baseline that names an unknown check", async () => {
    const entries = [{ check: "stdio/typo", reason: "later", expires: "2030-01-01" }];
    await writeFile(file("b.json"), JSON.stringify({ entries }));
    const { code, err } = await run(["server", "--baseline", file("b.json"), ...good]);
    expect(code).toBe(2);
    expect(err).toContain('entries[0].check names an unknown check: "stdio/typo"');
  });

  it("a configuration without the server, which tells those that there are", async () => {
    await writeFile(file("mcp.json"), JSON.stringify({ mcpServers: { a: { command: "x" }, b: {} } }));
    const { code, err } = await run(["server", "--config", file("mcp.json"), "--server", "c"]);
    expect({ code, err }).toEqual({ code: 2, err: `${file("mcp.json")} has no server "c"; it has a, b\n` });
  });
});

describe("--list, --explain, --help and --version", () => {
  it("show every check and what one stands on", async () => {
    const { code, out } = await run(["--list"]);
    expect(code).toBe(0);
    expect(out).toContain("stdio/stdout-purity");
    expect((await run(["--explain", "stdio/stdout-purity"])).out).toBe(
      `stdio/stdout-purity [MUST]
  Nothing but MCP messages is written to stdout

  rule    A server writes nothing to its stdout that is not a valid MCP message.
          Transports, stdio
          https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
  passes  every line of stdout is a JSON-RPC 2.0 message, in every process of the run, also while tools run
  fix     Log to stderr: in Node, console.error instead of console.log; in Python, logging to sys.stderr. Look at libraries that print a banner, and at child processes, whose output goes there, too, if they inherit it.
`,
    );
  });

  it("list the checks of one command", async () => {
    const ids = async (...args: string[]) => (await run([...args, "--list"])).out.match(/^\S+/gm) ?? [];
    const [servers, hosts] = [await ids("server"), await ids("host")];
    expect(servers).toContain("stdio/stdout-purity");
    expect(hosts).toContain("survive/lists-and-calls/stdio");
    expect([...servers, ...hosts]).toEqual(await ids());
  });

  it("explain a scenario by the id that --only takes, as it is in its first variant", async () => {
    const { code, out } = await run(["host", "--explain", "survive/lists-and-calls"]);
    expect(code).toBe(0);
    const first = (await run(["--explain", "survive/lists-and-calls/stdio"])).out;
    const also = ["stdio-2026", "http", "http-2026", "sse"].map((venue) => `survive/lists-and-calls/${venue}`);
    expect(out).toBe(`${first}  also    ${also.join(", ")}\n`);
    expect((await run(["--explain", "recover/dpop-proof"])).out).toMatch(/^recover\/dpop-proof\/http \[MUST\]\n/);
    expect(await run(["--explain", "recover"])).toMatchObject({ code: 2, err: expect.stringContaining("an area of") });
  });

  it("help is asked for with 0 and given with 2 when nothing was asked", async () => {
    expect((await run(["--help"])).code).toBe(0);
    expect((await run([])).code).toBe(2);
    expect((await run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("server", () => {
  it("runs what is chosen and what that needs, and writes every report whole", { timeout: 60_000 }, async () => {
    const formats = ["json", "junit", "sarif", "html", "markdown"];
    const files = formats.flatMap((format) => [`--${format}`, file(format)]);
    const { code, out, err } = await run(["server", ...few, "--seed", "7", ...files, ...good]);
    expect(err).toBe(`Checking ${good.slice(1).join(" ")} (4 checks)\n`);
    expect({ code, passed: out.includes("4 passed, 0 failed"), seed: out.includes("(seed 7)") }).toEqual({
      code: 0,
      passed: true,
      seed: true,
    });
    expect((await readdir(folder)).sort()).toEqual(formats.toSorted());
    expect(JSON.parse(await readFile(file("json"), "utf8"))).toMatchObject({ verdict: "pass", seed: 7 });
  });

  it("reads a configuration file", { timeout: 60_000 }, async () => {
    const servers = { a: { command: process.execPath, args: [oddServer, "none"] } };
    await writeFile(file("mcp.json"), JSON.stringify({ servers }));
    expect((await run(["server", ...few, "--config", file("mcp.json"), "--server", "a"])).code).toBe(0);
  });

  it("accepts a failure that the baseline names, and fails when the entry is stale", { timeout: 60_000 }, async () => {
    const baseline = async (check: string): Promise<void> =>
      writeFile(file("b.json"), JSON.stringify({ entries: [{ check, reason: "known", expires: "2027-01-01" }] }));
    const dies = ["--", process.execPath, oddServer, "dies-of-batch"];
    const argv = ["server", "--strict", "--no-preview", "--only", "requests/batch", "--baseline", file("b.json")];
    await baseline("requests/batch");
    expect((await run([...argv, ...dies])).code).toBe(0);
    await baseline("requests/probe");
    const { code, out } = await run([...argv, ...dies]);
    expect(code).toBe(1);
    expect(out).toContain("stale baseline requests/probe: passes now; remove the entry");
  });

  it("shows what a host makes of the server", { timeout: 60_000 }, async () => {
    const { out } = await run(["server", "--only", "requests/probe", ...good]);
    expect(out).toContain("Tools in a host\n  group mcp:odd-server (");
    expect(out).toContain('mcp_odd_server_echo  ← "echo"');
  });

  it("tells why a server cannot be reached, with its stderr, and exits with 4", async () => {
    const script = "console.error('MY_KEY is not set'); process.exit(3)";
    const reports = ["--json", file("r.json"), "--junit", file("r.xml")];
    const { code, out } = await run(["server", ...reports, "--", process.execPath, "-e", script]);
    expect(code).toBe(4);
    expect(out).toBe(
      `✗ The server cannot be reached: the process ended: exit code 3 before it answered initialize

  its stderr ended with
    MY_KEY is not set

UNREACHABLE ${process.execPath} -e ${script}
`,
    );
    expect(JSON.parse(await readFile(file("r.json"), "utf8"))).toMatchObject({ exitCode: 4, verdict: "incomplete" });
    expect(await readFile(file("r.xml"), "utf8")).toContain('<error message="the process ended: exit code 3');
  });

  it("tells that there is no such program", async () => {
    const { code, out } = await run(["server", "--", "/nowhere/my-server"]);
    expect(code).toBe(4);
    expect(out).toContain("cannot be started: spawn /nowhere/my-server ENOENT (there is no such program");
  });

  it("says what stdout began with when a program ends that is no server", async () => {
    const { code, out } = await run(["server", "--", process.execPath, "-e", "console.log('hi')"]);
    expect(code).toBe(4);
    expect(out).toContain('exit code 0 before it answered initialize; its stdout began with "hi');
  });

  it("waits no longer for a program that writes without an end what is no message", async () => {
    const flood = "for (let i = 0; i < 11000; i++) console.log('y'); process.stdin.resume()";
    const { code, out } = await run(["server", "--", process.execPath, "-e", flood]);
    expect(code).toBe(4);
    expect(out).toContain(
      'it wrote 10000 lines to stdout that are no messages, one after another, before it answered initialize; its stdout began with "y"',
    );
  });

  it("says so of a URL that is none of an MCP endpoint, or of a TLS server", async () => {
    await using server = await startFaultServer({ script: "http-post-404", transport: "http" });
    const { code, out } = await run(["server", ...few, "--url", server.url]);
    expect(code).toBe(1);
    expect(out).toContain("is this the URL of the MCP endpoint?");
    const secure = await run(["server", ...few, "--url", server.url.replace("http:", "https:")]);
    expect(secure.code).toBe(4);
    expect(secure.out).toContain("no response: what listens there does not speak TLS; is its URL http://?");
  });

  it("tells a whole command line from the name of a program", async () => {
    const { code, out } = await run(["server", "--", "npx -y my-server"]);
    expect(code).toBe(4);
    expect(out).toContain("leave the quotes away, so that npx gets -y my-server as its arguments");
  });

  it("names the call after which something else was written to stdout", { timeout: 60_000 }, async () => {
    const rule = { on: "tools/call", do: [{ type: "write", bytes: "called\n" }, { type: "proceed" }] } as const;
    await using server = await startFaultServer({ script: { rules: [rule] }, transport: "stdio" });
    const { command, args } = server.spec;
    const { out } = await run(["server", "--no-preview", "--only", "stdio/stdout-purity", "--", command, ...args]);
    expect(out).toMatch(/\[MUST\] after tools\/call "\w+", at byte \d+: "called"/);
  });

  it("says so when a report cannot be written, before anything starts", { timeout: 60_000 }, async () => {
    const { code, err } = await run(["server", ...few, "--json", file("no/such/folder.json"), ...good]);
    expect(code).toBe(2);
    expect(err).toBe(`--json ${file("no/such/folder.json")}: ENOENT, there is no folder ${file("no/such")}\n`);
    expect(await readdir(folder)).toEqual([]);
  });

  it("shows one live line on a terminal and takes it away", { timeout: 60_000 }, async () => {
    const { err } = await run(["server", ...few, ...good], { live: true });
    const lines = err.split("\r\u001B[K");
    expect(lines.slice(0, 3)).toEqual(["", expect.stringMatching(/^waiting for .*…?$/), "0/4  lifecycle/initialize"]);
    expect(lines.at(-1)).toBe("");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
  });
});

describe("host", () => {
  it("tells that the driver cannot be started, not a server, and exits with 4", async () => {
    expect(await run(["host", "--", "/nowhere/my-driver", "--quiet"])).toMatchObject({
      code: 4,
      out: `✗ The host cannot be tested: the driver could not be started: spawn /nowhere/my-driver ENOENT (there is no such program)

UNREACHABLE /nowhere/my-driver --quiet
`,
    });
  });
});

describe("Ctrl-C", () => {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

  it("ends the run, leaves no process, and exits with 3", { timeout: 60_000 }, async () => {
    const server = `const { writeFileSync } = require("node:fs");
      writeFileSync(${JSON.stringify(file("pid"))}, String(process.pid));
      process.on("SIGTERM", () => {});
      process.stdin.on("data", () => process.kill(process.ppid, "SIGINT"));
      setInterval(() => {}, 1000);`;
    // The server itself interrupts the kit, as soon as the kit has said something.
    const { exitCode } = await execa(process.execPath, [main, "server", "--", process.execPath, "-e", server], {
      reject: false,
    });
    expect(exitCode).toBe(3);
    expect(aliveInGroup(Number(await readFile(file("pid"), "utf8")))).toEqual([]);
  });
});
