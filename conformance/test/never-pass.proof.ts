import { fileURLToPath } from "node:url";
import { startFaultServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { checkServer } from "../src/server/check-server.ts";
import type { ServerAddress } from "../src/server/server-address.ts";
import { goodLibraryServer } from "./mutants/library-mutants.ts";
import { overHttp, overStdio } from "./mutants/mutant.ts";
import { oddServer, runMutant } from "./mutants/run-mutant.ts";

const pretender = fileURLToPath(new URL("programs/pretender.mjs", import.meta.url));

function program(...args: readonly string[]): ServerAddress {
  return { type: "stdio", server: { command: process.execPath, args } };
}

describe("implementations that do nothing right never pass", () => {
  it.each([
    ["a program that ends at once", ["-e", ""], 4],
    ["a program that hangs", ["-e", "setInterval(() => {}, 1000)"], 4],
    ["a program that floods stdout with rubbish", ["-e", "setInterval(() => console.log('x'.repeat(9999)), 1)"], 4],
    ["an echo", [pretender, "echo"], 1],
    ["a server that says yes to everything", [pretender, "yes"], 1],
    ["a server that answers every request with an error", [pretender, "no"], 1],
    ["a server that calls everything a tool's failure", [pretender, "is-error"], 1],
  ])("%s", { timeout: 60_000 }, async (_, args, exitCode) => {
    const report = await checkServer({ address: program(...args), startMs: 3000, answerMs: 1500 });
    expect(report).toMatchObject({ exitCode, verdict: exitCode === 1 ? "fail" : "incomplete" });
    expect(report.preview === undefined || exitCode === 1).toBe(true);
  });

  it("a URL where nothing listens, or nothing answers, or another thing does", { timeout: 60_000 }, async () => {
    const server = await startFaultServer({ script: { rules: [{ on: "POST", do: [] }] }, transport: "http" });
    const address = { type: "http", url: new URL(server.url) } as const;
    expect(await checkServer({ address, startMs: 500 })).toMatchObject({ exitCode: 4 });
    await server.close();
    expect(await checkServer({ address, startMs: 5000 })).toMatchObject({
      exitCode: 4,
      obstacle: { kind: "unreachable", reason: expect.stringContaining("ECONNREFUSED") },
    });
  });

  it("a page that is no MCP server fails, and one that asks for credentials says so", { timeout: 60_000 }, async () => {
    const answering = async (status: number): Promise<object> => {
      const script = { rules: [{ on: "POST", do: [{ type: "http", status, body: "<h1>Welcome</h1>" } as const] }] };
      await using server = await startFaultServer({ script, transport: "http" });
      return await checkServer({ address: { type: "http", url: new URL(server.url) }, answerMs: 1000 });
    };
    expect(await answering(200)).toMatchObject({ exitCode: 1, headlines: [{ checkId: "lifecycle/initialize" }] });
    expect(await answering(401)).toMatchObject({ exitCode: 5, obstacle: { kind: "auth-required" } });
  });
});

describe("servers without fault pass", () => {
  it.each([
    overStdio("dual-stdio", "", { fails: [] }),
    overHttp("dual-http", "", { fails: [] }),
    overHttp("modern-http", "", { era: "modern", fails: [] }),
    overHttp("legacy-events", "", { era: "legacy", http: { answers: "sse" }, fails: [] }),
    goodLibraryServer,
    { id: "odd", wrong: "", transport: "stdio" as const, script: "none", fails: [] },
  ])("$id", { timeout: 60_000 }, async (mutant) => {
    const { results, verdict, counts } = await runMutant(mutant);
    expect(results.filter(({ finding }) => finding.status === "fail" || finding.status === "could-not-run")).toEqual(
      [],
    );
    expect(verdict).toBe("pass");
    expect(counts.passed).toBeGreaterThan(50);
  });

  it("with the arguments that an author names", { timeout: 60_000 }, async () => {
    const report = await checkServer({
      address: program(oddServer, "none"),
      consent: { named: new Map([["echo", { text: "named" }]]), all: false },
      preview: false,
    });
    expect(report.trace.some(({ text }) => text.includes('"named"'))).toBe(true);
  });
});
