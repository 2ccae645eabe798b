import { createMemoryLock, createMemoryStore, type Lock } from "@hostside/core";
import { systemClock } from "@hostside/core/implement";
import { expect, it } from "vitest";
import { createRememberedApprovals } from "./remembered-approvals.ts";

it("asks for no lock where there is nothing to forget, and for few in all: a lock of files leaves a file for each", async () => {
  const keys = new Set<string>();
  const memory = createMemoryLock();
  const lock: Lock = { withLock: (key, leaseMs, work) => (keys.add(key), memory.withLock(key, leaseMs, work)) };
  const approvals = createRememberedApprovals({
    store: createMemoryStore(),
    lock,
    clock: systemClock,
    conversationMs: 60_000,
  });
  const tool = { fingerprint: "sha256-01", effect: "external" } as const;
  const scopes = Array.from({ length: 500 }, (_, at) => ({ conversation: `c${at}`, serverId: "s", toolName: "t" }));
  for (const { conversation } of scopes) await approvals.forget({ conversation });
  expect(keys.size).toBe(0);
  for (const scope of scopes) await approvals.keep("conversation", scope, tool);
  expect(keys.size).toBeGreaterThan(1);
  expect(keys.size).toBeLessThanOrEqual(256);
  for (const { conversation } of scopes) await approvals.forget({ conversation });
  expect(await Promise.all(scopes.map((scope) => approvals.find(scope, tool)))).toEqual(scopes.map(() => undefined));
});
