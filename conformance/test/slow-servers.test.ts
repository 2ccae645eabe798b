import { startFaultServer, type FaultRule, type FaultScript } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import type { Finding } from "../src/engine/check.ts";
import { checkServer } from "../src/server/check-server.ts";
import type { ServerCheck } from "../src/server/checks/define-check.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";

/** A check without those that it needs. */
function alone(id: string): readonly ServerCheck[] {
  return serverChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
}

const passed: Finding = { status: "pass" };

/** What one check finds of a server over HTTP that is given little time. */
async function findingOf(id: string, rule: FaultRule): Promise<Finding | undefined> {
  await using server = await startFaultServer({ transport: "http", script: { era: "legacy", rules: [rule] } });
  const { results } = await checkServer({
    address: { type: "http", url: new URL(server.url) },
    checks: alone(id),
    answerMs: 1000,
    preview: false,
  });
  return results.find(({ check }) => check.id === id)?.finding;
}

describe("a time that is up is no verdict", () => {
  it("on notifications, when the request after them is not answered", { timeout: 60_000 }, async () => {
    const found = await findingOf("requests/notification-unanswered", { on: "ping", nth: 1, do: [] });
    expect(found).toEqual({
      status: "could-not-run",
      reason: "the request that came after it: no answer within 1 s",
    });
  });

  it("on the stateless era, when server/discover is not answered", { timeout: 60_000 }, async () => {
    const found = await findingOf("lifecycle/stateless-era", {
      on: "POST",
      where: { method: "server/discover" },
      do: [],
    });
    expect(found).toEqual({ status: "not-applicable", reason: "server/discover: no answer within 1 s" });
  });
});

it("finds a server deaf after a request before the handshake, also one that takes three seconds to start", async () => {
  const script: FaultScript = {
    era: "legacy",
    rules: [
      { on: "start", do: [{ type: "write", bytes: "", to: "stderr", times: 2, pauseMs: 1500 }] },
      { on: "server/discover", do: [{ type: "stop-reading" }] },
    ],
  };
  await using server = await startFaultServer({ transport: "stdio", script });
  const id = "lifecycle/request-before-handshake";
  const { results } = await checkServer({
    address: { type: "stdio", server: server.spec },
    checks: alone(id),
    answerMs: 1000,
    preview: false,
  });
  expect(results.find(({ check }) => check.id === id)?.finding).toMatchObject({ status: "fail" });
});

/** What checks find of a server over stdio that is given little time. */
async function findingsOf(ids: readonly string[], script: FaultScript): Promise<readonly (Finding | undefined)[]> {
  await using server = await startFaultServer({ transport: "stdio", script: { era: "legacy", ...script } });
  const { results } = await checkServer({
    address: { type: "stdio", server: server.spec },
    checks: ids.flatMap(alone),
    answerMs: 1000,
    preview: false,
  });
  return ids.map((id) => results.find(({ check }) => check.id === id)?.finding);
}

it("gives each start the time that the first one took", { timeout: 90_000 }, async () => {
  const slowly = { type: "write", bytes: "", to: "stderr", times: 2, pauseMs: 2000 } as const;
  const ids = ["lifecycle/negotiates-2024-11-05", "lifecycle/unknown-revision"];
  const found = await findingsOf(ids, { rules: [{ on: "start", do: [slowly] }] });
  expect(found.filter((finding) => finding?.status === "fail")).toEqual([]);
});

it.each([
  ["answers what comes next", [], "fail"],
  ["answers nothing any more", [{ type: "stop-reading" }], "could-not-run"],
] as const)("silence to a handshake, of a server that %s", { timeout: 90_000 }, async (_, actions, status) => {
  const rule = { on: "initialize", where: { "params.protocolVersion": "2024-11-05" }, do: actions };
  const [found] = await findingsOf(["lifecycle/negotiates-2024-11-05"], { rules: [rule] });
  expect(found).toMatchObject({ status });
});

// Holds the answer to a handshake of 2024-11-05 back until the next one comes: so does a pipe to a
// program that is not ready yet.
const holdsBack = `
  const send = (message) => console.log(JSON.stringify(message));
  const held = [];
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method !== "initialize") return;
    const { protocolVersion } = params;
    const answered = protocolVersion === "2024-11-05" ? process.argv[1] : protocolVersion;
    const serverInfo = { name: "late", version: "1" };
    held.push({ jsonrpc: "2.0", id, result: { protocolVersion: answered, capabilities: {}, serverInfo } });
    if (protocolVersion !== "2024-11-05") held.splice(0).forEach(send);
  });
`;

it.each([
  ["2024-11-05", { status: "pass", observed: "2024-11-05" }],
  ["9.9", { status: "fail", observed: 'answered with protocolVersion "9.9"' }],
])("judges an answer to initialize that comes late, such as %s", { timeout: 90_000 }, async (version, finding) => {
  const id = "lifecycle/negotiates-2024-11-05";
  const { results } = await checkServer({
    address: { type: "stdio", server: { command: process.execPath, args: ["-e", holdsBack, version] } },
    checks: alone(id),
    answerMs: 1000,
    preview: false,
  });
  expect(results[0]?.finding).toMatchObject(finding);
});

it("gives no start more time than the first answer may take", async () => {
  await using server = await startFaultServer({ transport: "http", script: {} });
  const [check] = serverChecks;
  const seen: number[] = [];
  await checkServer({
    address: { type: "http", url: new URL(server.url) },
    checks: check === undefined ? [] : [{ ...check, run: async ({ startMs }) => (seen.push(startMs), passed) }],
    answerMs: 30_000,
    startMs: 60_000,
    preview: false,
  });
  expect(seen).toEqual([60_000]);
});

it.each([
  ["split", 5, 1],
  ["merged", 1, 1],
])("counts the time of an answer from the last piece of its request: %s-writes", async (name, pieces, waits) => {
  const steps: string[] = [];
  const session = {
    writeBytes: async () => void steps.push("piece"),
    waitFor: async () => (steps.push("wait"), {}),
  };
  const ready = { session, probeMethod: () => "ping", envelop: () => ({}) };
  const target = { answerMs: 1, openReady: async () => ready };
  const check = serverChecks.find(({ id }) => id === `stdio/${name}-writes`);
  const found: unknown = await Reflect.apply(check?.run ?? String, undefined, [target]);
  expect(found).toMatchObject({ status: "pass" });
  expect(steps).toEqual([...Array<string>(pieces).fill("piece"), ...Array<string>(waits).fill("wait")]);
});
