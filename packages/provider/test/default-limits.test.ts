import { expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

it("96 calls of a server go out at once, 256 wait, and one more is refused, where its spec says nothing", async () => {
  const world = createCalmWorld();
  world.server("s", "read");
  const provider = world.provider({ servers: [{ ...specOf("s"), concurrency: "parallel" }] });
  await provider.init();
  const goOn = world.hold("s");
  const calls = Array.from({ length: 96 + 256 }, () => provider.call("mcp_s_read"));
  const results = Promise.allSettled(calls);
  await world.settle();
  await expect(provider.call("mcp_s_read")).rejects.toMatchObject({ code: "overloaded", outcome: "not-sent" });
  goOn();
  expect((await results).filter(({ status }) => status === "fulfilled")).toHaveLength(352);
  await provider.close();
});
