import { execaNode } from "execa";
import { stripVTControlCharacters } from "node:util";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../dist/demo/main.js", import.meta.url));

describe("the demo", () => {
  it("passes every step on eight real servers, in plain lines when nobody looks", async () => {
    // Without `nodeOptions`, the child would inherit this process's export condition and meet
    // TypeScript.
    const { exitCode, all } = await execaNode(program, {
      nodeOptions: [],
      all: true,
      reject: false,
      timeout: 90_000,
    });
    const lines = all.split("\n").map((line) => line.trim());
    const matching = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;

    expect(all).toMatch(/all steps passed in \d+\.\d s$/);
    expect(exitCode).toBe(0);
    expect(stripVTControlCharacters(all)).toBe(all);

    expect(lines).toContain("$ hostside list --no-tools --config mcp.json");
    expect(matching(/^✓ +[\w-]+ +ready +20\d\d-\d\d-\d\d +\d+ tools +\d+(\.\d+)? m?s$/)).toBe(7);
    expect(matching(/^✗ +inventory +failed$/)).toBe(1);
    expect(lines).toContain("| error: INVENTORY_URL is not set");
    expect(lines).toContain("42");

    expect(
      matching(/^(files|everything|memory|everything-http|sse-only) +legacy +20\d\d-\d\d-\d\d +\d+ tools +\d+ ms$/),
    ).toBe(5);
    expect(matching(/^(modern-http|modern-stdio) +modern +2026-07-28 +\d+ tools +\d+ ms$/)).toBe(2);
    expect(matching(/^inventory +failed +\[server_exited\] .*code 78/)).toBe(1);
    expect(lines).toContain("stderr: error: INVENTORY_URL is not set");
    expect(matching(/^\{"type":"function","name":"\w+","description":/)).toBe(3);
    expect(matching(/^mcp_memory_read_graph works again, on process \d+: .*Hostside/)).toBe(1);
    expect(lines).toContain("mcp_modern_http_whisper appeared and answers: whisper");
    expect(matching(/^\d+ child processes before, none left after \d+ ms$/)).toBe(1);
  }, 100_000);
});
