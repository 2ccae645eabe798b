import fc from "fast-check";
import { expect, it } from "vitest";
import { createBoundedValues } from "../src/metrics/bounded-values.ts";
import { createMemoryServer } from "./memory-server.ts";
import { createObservedHost } from "./observed-world.ts";

it("keeps the number of values bounded, whatever they are, and a value that was let in", () => {
  const uses = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y"), fc.string()), {
    minLength: 400,
    maxLength: 900,
  });
  fc.assert(
    fc.property(uses, (all) => {
      const bounded = createBoundedValues();
      const seen = new Map<string, Set<string>>();
      const letIn = new Map<string, string>();
      for (const [server, attribute, value] of all) {
        const text = bounded.of(attribute, server, value);
        const key = JSON.stringify([attribute, server, value]);
        expect(text).toBe(letIn.get(key) ?? text);
        if (text === "_other") continue;
        letIn.set(key, text);
        seen.set(attribute, (seen.get(attribute) ?? new Set()).add(JSON.stringify([server, text])));
      }
      for (const values of seen.values()) {
        expect(values.size).toBeLessThanOrEqual(2000);
        for (const server of ["a", "b", "c"]) {
          const own = Array.from(values).filter((value) => value.startsWith(`["${server}"`));
          expect(own.length).toBeLessThanOrEqual(200);
        }
      }
    }),
    { numRuns: 20 },
  );
});

it("keeps the values of all servers together bounded", () => {
  const bounded = createBoundedValues();
  const texts = Array.from({ length: 30 }, (_, server) =>
    Array.from({ length: 100 }, (__, value) => bounded.of("x", `s${server}`, `v${value}`)),
  );
  expect(texts.flat().filter((text) => text === "_other")).toHaveLength(1000);
});

it("has at most so many series of a server that names its tools as it likes", async () => {
  const names = Array.from({ length: 240 }, (_, index) => `t${index}${"x".repeat(200)}`);
  await using host = await createObservedHost({
    servers: [{ id: "s", ...createMemoryServer(names).spec }],
  });
  for (const { name, origin } of host.toolbox.tools()) if (origin?.serverId === "s") await host.toolbox.call(name);
  for (const metric of ["mcp.client.operation.duration", "hostside.call.duration"]) {
    const points = await host.exported.points(metric);
    const tools = points.map(({ attributes }) => String(Reflect.get(attributes, "gen_ai.tool.name")));
    const named = tools.filter((tool) => tool !== "undefined" && tool !== "_other");
    expect(named).toHaveLength(200);
    expect(Math.max(...named.map(({ length }) => length))).toBe(128);
    expect(tools).toContain("_other");
  }
  const spanNames = new Set(host.exported.spans().map(({ name }) => name));
  expect(spanNames.size).toBeGreaterThanOrEqual(240);
});
