import { createMemoryLock, type Lock } from "@hostside/core";
import { expect, it } from "vitest";
import { setUp, gated } from "../../test/approval-setup.ts";
import { createStageWorld } from "../../test/stage-world.ts";

it("asks for no lock to forget a conversation, and for few in all: a lock of files leaves a file for each", async () => {
  const keys = new Set<string>();
  const memory = createMemoryLock();
  const lock: Lock = { withLock: (key, leaseMs, work) => (keys.add(key), memory.withLock(key, leaseMs, work)) };
  const world = createStageWorld();
  const { approval, send, questions } = setUp(
    () => "conversation",
    {},
    { world: { ...world, parts: { ...world.parts, lock } } },
  );
  const conversations = Array.from({ length: 500 }, (_, at) => `c${at}`);
  const callAll = async (): Promise<void> => {
    for (const conversation of conversations) await send(gated({ context: { conversation } }));
  };
  for (const conversation of conversations) await approval.forget({ conversation });
  expect(keys.size).toBe(0);
  await callAll();
  await callAll();
  expect(questions).toHaveLength(500);
  expect(keys.size).toBeGreaterThan(1);
  expect(keys.size).toBeLessThanOrEqual(256);
  for (const conversation of conversations) await approval.forget({ conversation });
  await callAll();
  expect(questions).toHaveLength(1000);
});
