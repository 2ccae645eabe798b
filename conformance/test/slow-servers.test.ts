import { startFaultServer, type FaultRule, type FaultScript } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import type { Finding } from "../src/engine/check.ts";
import { checkServer } from "../src/server/check-server.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";

/** What one check finds of a server over HTTP that is given little time. */
async function findingOf(id: string, rule: FaultRule): Promise<Finding | undefined> {
  await using server = await startFaultServer({ transport: "http", script: { era: "legacy", rules: [rule] } });
  const { results } = await checkServer({
    address: { type: "http", url: new URL(server.url) },
    checks: serverChecks.filter((check) =>
      [id, "lifecycle/initialize", "lifecycle/second-client", "requests/probe"].includes(check.id),
    ),
    answerMs: 1000,
    preview: false,
  });
  return results.find(({ check }) => check.id === id)?.finding;
}

describe("a time that is up is no verdict", () => {
  it("on notifications, when the request after them is not answered", { timeout: 60_000 }, async () => {
    const found = await findingOf("requests/notification-unanswered", { on: "ping", nth: 4, do: [] });
    expect(found).toEqual({
      status: "could-not-run",
      reason: "the request that came after it: no answer within 1000 ms",
    });
  });

  it("on the stateless era, when server/discover is not answered", { timeout: 60_000 }, async () => {
    const found = await findingOf("lifecycle/stateless-era", {
      on: "POST",
      where: { method: "server/discover" },
      do: [],
    });
    expect(found).toEqual({ status: "not-applicable", reason: "server/discover: no answer within 1000 ms" });
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
    checks: serverChecks.filter((check) => [id, "lifecycle/initialize", "lifecycle/second-client"].includes(check.id)),
    answerMs: 1000,
    preview: false,
  });
  expect(results.find(({ check }) => check.id === id)?.finding).toMatchObject({ status: "fail" });
});
