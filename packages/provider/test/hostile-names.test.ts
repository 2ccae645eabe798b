import { isHostsideError } from "@hostside/core";
import { inspectText } from "@hostside/core/implement";
import { expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

const name = "pay\u009B31m\u202E\u2028\u200B\u{E0041}";

it("quotes a tool's name without what a terminal or a reader would stumble over, in every error and diagnostic", async () => {
  const world = createCalmWorld();
  world.server("a", name, "other");
  const provider = world.provider({ servers: [specOf("a", { allow: [name, "x\u009By"] })] });
  const messages: string[] = [];
  provider.onDiagnostic(({ message }) => messages.push(message));
  await provider.init();
  const [definition] = provider.tools();
  expect(definition?.origin?.toolName).toBe(name);
  const call = async (args: unknown, options = {}): Promise<void> => {
    const error: unknown = await provider
      .call(definition?.name ?? "", args as never, options)
      .catch((reason) => reason);
    if (isHostsideError(error)) messages.push(error.message);
  };
  await call("text");
  await call({}, { signal: AbortSignal.abort() });
  await call({}, { selected: { ...definition, inputSchema: { type: "object", title: "before" } } });
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.flatMap(inspectText)).toEqual([]);
  await provider.close();
});
