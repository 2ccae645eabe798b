import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { compareSpecs } from "./add-server.ts";

const stdio: ServerSpec = {
  id: "s",
  type: "stdio",
  command: "node",
  args: ["a"],
  env: { A: "1", B: "2" },
};
const url = "https://example.com";
const http: ServerSpec = { id: "s", type: "http", url, bearerToken: "a" };
const serve = (): void => {};
const memory: ServerSpec = { id: "s", type: "memory", serve };

describe("compareSpecs()", () => {
  it.each<[string, ServerSpec, ServerSpec, string]>([
    ["the same", stdio, structuredClone(stdio), "none"],
    ["another order of members", stdio, { ...stdio, env: { B: "2", A: "1" } }, "none"],
    ["a default written out", stdio, { ...stdio, era: "auto", disabled: false, limits: {} }, "view"],
    ["another argument", stdio, { ...stdio, type: "stdio", command: "node", args: ["b"] }, "session"],
    ["another kind", stdio, { id: "s", type: "http", url: "https://example.com" }, "session"],
    ["another token", http, { ...http, bearerToken: "b" }, "credentials"],
    ["credentials of the connector", http, { id: "s", type: "http", url, auth: "api-key" }, "credentials"],
    ["another era", stdio, { ...stdio, era: "legacy" }, "session"],
    ["another limit of the wire", stdio, { ...stdio, limits: { maxTools: 5 } }, "session"],
    ["switched off", stdio, { ...stdio, disabled: true }, "session"],
    ["another limit of the queue", stdio, { ...stdio, limits: { maxQueuedCalls: 5, maxInFlightCalls: 2 } }, "view"],
    ["other timeouts", stdio, { ...stdio, timeouts: { callMs: 5 } }, "view"],
    ["other tools", stdio, { ...stdio, allow: ["a"], deny: ["b"] }, "view"],
    ["another way to call", stdio, { ...stdio, concurrency: "serial", required: true, title: "T" }, "view"],
    ["the same function", memory, { id: "s", type: "memory", serve }, "none"],
    ["another function", memory, { id: "s", type: "memory", serve: () => {} }, "session"],
  ])("%s", (...[, before, after, difference]) => {
    expect(compareSpecs(before, after)).toBe(difference);
  });
});
