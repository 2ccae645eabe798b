import type { ToolAnnotations, ToolDefinition, ToolEffect } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { createEffects, type EffectOptions, type EffectRule, toolEffects } from "./create-effects.ts";

interface Known {
  readonly effect?: ToolEffect;
  readonly annotations?: ToolAnnotations;
}

const tool = (toolName: string, known: Known = {}): ToolDefinition => ({
  name: `mcp_s_${toolName}`,
  description: "",
  inputSchema: {},
  origin: { serverId: "s", toolName, qualifiedName: `mcp::s::${toolName}` },
  ...known,
});
const server = { id: "s", labels: { trust: "vendor" } };
const effectOf = (options: EffectOptions, definition: ToolDefinition): ToolEffect =>
  createEffects(options).effectOf(definition, server);

const readOnly: ToolAnnotations = { readOnlyHint: true };

describe("createEffects()", () => {
  it("takes what is unknown for external, and a server's hints for nothing", () => {
    expect(effectOf({}, tool("x"))).toBe("external");
    expect(effectOf({}, tool("x", { annotations: readOnly }))).toBe("external");
    expect(effectOf({ effects: [{ tools: "s/y", effect: "pure" }] }, tool("x", { annotations: readOnly }))).toBe(
      "external",
    );
    expect(effectOf({}, tool("x", { effect: "pure" }))).toBe("pure");
  });

  it("looks again when the server has other labels", () => {
    const { effectOf: look } = createEffects({ effects: [{ tools: { labels: "trust:vendor" }, effect: "pure" }] });
    const definition = tool("x");
    expect(look(definition, server)).toBe("pure");
    expect(look(definition, { id: "s", labels: {} })).toBe("external");
  });

  it("says how it is known", () => {
    const { describe: say } = createEffects({
      effects: [
        { tools: "s/*", effect: "pure" },
        { tools: { tool: "del*" }, effect: "external" },
      ],
    });
    expect(say(tool("x"), server)).toBe('Its effect is pure, by effects[0] ("s/*").');
    expect(say(tool("del"), server)).toBe('Its effect is external, by effects[1] ({"tool":"del*"}).');
    const unknown = "Its effect is external, because nothing names a milder one.";
    expect(createEffects({}).describe(tool("x"), server)).toBe(unknown);
    expect(createEffects({}).describe(tool("x", { effect: "external" }), server)).toBe(unknown);
    expect(createEffects({}).describe(tool("x", { effect: "pure" }), server)).toBe(
      "Its effect is pure, by its definition.",
    );
  });

  it("says that an external of the host's own definition is its word", () => {
    const { origin: _, ...own } = tool("x", { effect: "external" });
    expect(createEffects({}).describe(own, undefined)).toBe("Its effect is external, by its definition.");
  });

  test.prop([
    fc.array(fc.record({ tools: fc.constantFrom("s/*", "*/x", "s/y"), effect: fc.constantFrom(...toolEffects) })),
  ])("lets the most dangerous of several count, in any order", (effects: readonly EffectRule[]) => {
    const found = effectOf({ effects }, tool("x", { effect: "pure" }));
    const about = effects.filter(({ tools }) => tools !== "s/y").map(({ effect }) => effect);
    expect(found).toBe(about.length === 0 ? "pure" : toolEffects.findLast((effect) => about.includes(effect)));
    expect(effectOf({ effects: effects.toReversed() }, tool("x", { effect: "pure" }))).toBe(found);
  });

  it.each<[string, unknown, string]>([
    ["an unknown effect", { effects: [{ tools: "a/b", effect: "write" }] }, 'effects[0].effect: "write" is no effect'],
    ["no tools", { effects: [{ effect: "pure" }] }, "effects[0].tools is missing"],
    [
      "a bad selection",
      { effects: [{ tools: "a", effect: "pure" }] },
      'effects[0].tools: "a" is not "server/tool"; did you mean "a/*", or "/a" for a tool of your own?',
    ],
    ["an unknown field", { effects: [{ tool: "a/b" }] }, 'effects[0] has no option "tool"; did you mean tools?'],
    ["no list", { effects: {} }, "effects must be a list"],
  ])("refuses %s", (_, options, message) => {
    // Of a caller without types.
    expect(() => createEffects(options as EffectOptions)).toThrow(new TypeError(message));
  });
});
