import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scripted } from "../../packages/adapters/test/mock-model.ts";
import { ask } from "../src/ten-lines.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-ten-lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("an agent in ten lines", () => {
  it("has the tools of an mcp.json, with a broken server in it, and reads what they bring", async () => {
    const config = join(folder, "mcp.json");
    const mcpServers = { maths: fixtureServer("modern-stdio"), broken: { command: "no-such-program" } };
    await writeFile(config, JSON.stringify({ mcpServers }));
    const model = scripted([[["mcp_maths_add", { a: 2, b: 3 }]], "five"]);
    expect(await ask(model, "What is 2 + 3?", config)).toBe("five");
    const [first, second] = model.doGenerateCalls;
    expect(first?.tools?.map(({ name }) => name)).toContain("mcp_maths_add");
    expect(JSON.stringify(second?.prompt)).toContain('"5"');
  });
});
