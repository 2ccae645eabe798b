import { expect, it } from "vitest";
import { serverChecks } from "../src/server/checks/server-checks.ts";
import { oddServer } from "./mutants/run-mutant.ts";
import { checkServer } from "../src/server/check-server.ts";
import { runKit } from "./run-kit.ts";

const ids = ["requests/large-message", "stdio/split-writes"];
const command = process.execPath;
const args = [oddServer, "forgets-unfinished-line"];

it("is one headline: a server that drops unfinished lines, and so large messages", { timeout: 90_000 }, async () => {
  const checks = serverChecks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, needs: [] }));
  const address = { type: "stdio", server: { command, args } } as const;
  const { headlines } = await checkServer({ address, checks, answerMs: 3000, preview: false });
  expect(headlines).toMatchObject([{ checkId: "stdio/split-writes", prevented: ["requests/large-message"] }]);
});

it("says nothing else of large messages that arrived", { timeout: 90_000 }, async () => {
  const checks = serverChecks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, needs: [] }));
  const address = { type: "stdio", server: { command, args: [oddServer, "decodes-each-read"] } } as const;
  const { results } = await checkServer({ address, checks, answerMs: 3000, preview: false });
  const found = results.map(({ check, finding }) => [check.id, finding.status]);
  expect(Object.fromEntries(found)).toEqual({ "requests/large-message": "pass", "stdio/split-writes": "fail" });
});

it("does not call failed what is no headline in the end", { timeout: 90_000 }, async () => {
  const chosen = ids.flatMap((id) => ["--only", id]);
  const { out, err } = await runKit(["server", "--no-preview", ...chosen, "--", command, ...args]);
  expect(err).toMatch(/\d+\/\d+ not passed: requests\/large-message/);
  expect(err).not.toContain("failed");
  expect(out).not.toMatch(/^[✗!] requests\/large-message/m);
});
