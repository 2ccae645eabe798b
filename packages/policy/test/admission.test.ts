import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../provider/test/calm-world.ts";
import { interceptCalls } from "../../provider/test/intercept-calls.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import { type AdmissionOptions, createAdmission } from "../src/admission/create-admission.ts";
import { createEffects } from "../src/effects/create-effects.ts";
import { createAdmissionWorld, entryOf, list, namesOf, startHost } from "./admission-world.ts";

const rules: AdmissionOptions = {
  allow: "s/read",
  requireApproval: "s/write",
  deny: [{ tool: "drop", name: "no drops", reason: "it cannot be undone" }],
  defaultDecision: "quarantine",
};

describe("what is on offer", () => {
  it("is what is allowed and what is asked for; the rest is held back or hidden", async () => {
    const world = createAdmissionWorld();
    world.server("s", "read", "write", "drop", "other");
    const { admission, provider } = await startHost(world, rules);
    expect(namesOf(provider)).toEqual(["mcp_s_read", "mcp_s_write"]);
    expect(provider.quarantined().map(({ definition }) => definition.name)).toEqual(["mcp_s_other"]);
    expect(admission.held()).toMatchObject([
      { serverId: "s", toolName: "other", stage: "rules", rule: "defaultDecision" },
    ]);
    expect(await failureOf(provider.call("mcp_s_drop"))).toMatchObject({ code: "unknown_tool" });
    await provider.close();
  });

  it("has a backstop with a code for each no, and passes what is allowed", async () => {
    const world = createAdmissionWorld();
    const server = world.server("s", "read", "write", "drop", "other");
    const { interceptor } = world.admission(rules);
    const provider = interceptCalls(world.provider({ servers: [specOf("s")] }), interceptor ? [interceptor] : []);
    await provider.init();
    await provider.call("mcp_s_read");
    await provider.call("mcp_s_write");
    expect(await failureOf(provider.call("mcp_s_drop"))).toMatchObject({
      code: "not_allowed",
      kind: "auth",
      outcome: "not-sent",
      retryable: false,
      rawMessage: 'call of "drop" on "s" is denied by no drops ({"tool":"drop"}): it cannot be undone',
      details: { policy: "no drops" },
    });
    expect(await failureOf(provider.call("mcp_s_other"))).toMatchObject({
      code: "tool_quarantined",
      details: { policy: "defaultDecision" },
    });
    expect(server.received.map(({ toolName }) => toolName)).toEqual(["read", "write"]);
    expect(world.events).toMatchObject([
      { type: "refused", stage: "rules", code: "not_allowed", origin: { toolName: "drop" } },
      { type: "refused", stage: "rules", code: "tool_quarantined", origin: { toolName: "other" } },
    ]);
    await provider.close();
  });

  it("refuses by the pins a tool that no listing was asked about", async () => {
    const world = createAdmissionWorld();
    world.server("s", "read");
    const admission = world.admission({ pins: {} });
    await admission.ready();
    const { interceptor } = admission;
    const provider = interceptCalls(world.provider({ servers: [specOf("s")] }), interceptor ? [interceptor] : []);
    await provider.init();
    expect(await failureOf(provider.call("mcp_s_read"))).toMatchObject({
      code: "tool_quarantined",
      rawMessage: 'call of "read" on "s" is held back, because the policy was not asked when it was listed',
    });
    await provider.close();
  });

  it("goes by the effect that the policy has for a tool, for a product's own tools as well", async () => {
    const world = createAdmissionWorld();
    const { effectOf } = createEffects({ effects: [{ tools: "/pay", effect: "non-idempotent-write" }] });
    const { admit, interceptor } = createAdmission(
      { deny: { effect: "non-idempotent-write" }, defaultDecision: "allow" },
      { ...world.parts, effectOf },
    );
    const tool = (name: string) => ({
      definition: { name, description: "", inputSchema: { type: "object" }, effect: "pure" as const },
      run: () => Promise.resolve("done"),
    });
    const tools = [tool("pay"), tool("look")];
    expect(
      createToolbox({ tools, admit })
        .tools()
        .map(({ name }) => name),
    ).toEqual(["look"]);
    const unlisted = createToolbox({ tools, interceptors: interceptor ? [interceptor] : [] });
    expect(await failureOf(unlisted.call("pay"))).toMatchObject({ code: "not_allowed" });
    expect(await unlisted.call("look")).toMatchObject({ isError: false });
  });

  it("has no layer where everything is allowed", () => {
    const world = createAdmissionWorld();
    expect(world.admission({}).interceptor).toBeUndefined();
    expect(world.admission({ servers: ["s"] }).interceptor).toBeUndefined();
    expect(world.admission({ deny: "a/b" }).interceptor).toBeTypeOf("function");
  });
});

describe("explain()", () => {
  const said = async (options: AdmissionOptions, name: string): Promise<readonly string[]> => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("drop", "Drops."));
    const { admission, provider } = await startHost(world, options);
    const seen = [...provider.tools(), ...provider.quarantined().map((tool) => tool.definition)];
    list(world, "s", entryOf("read", "Reads. More."), entryOf("drop", "Drops."));
    await provider.refresh();
    seen.unshift(...provider.quarantined().map((tool) => tool.definition), ...provider.tools());
    const definition = seen.find(({ origin }) => origin?.toolName === name);
    const sentences = definition === undefined ? [] : admission.explain(definition, provider.describeServer?.("s"));
    await provider.close();
    return sentences;
  };

  it("says in one sentence what is allowed", async () => {
    expect(await said({}, "read")).toEqual(['Tool "read" of server "s" is on offer.']);
  });

  it("says who decides, for rules", async () => {
    expect(await said({ requireApproval: "s/*" }, "read")).toEqual([
      'Tool "read" of server "s" is on offer, and each call of it is to be approved.',
      'By the rules it is to be approved at each call by requireApproval ("s/*").',
    ]);
  });

  it("says who decides, for pins", async () => {
    expect(await said({ pins: {} }, "read")).toEqual([
      'Tool "read" of server "s" is held back: shown to the host alone, and a call is refused with tool_quarantined.',
      "By pins it is another one than the one of the first use of its server.",
      'To change it, approve it: approveTools("s", ["read"]).',
    ]);
    expect(await said({ pins: {} }, "drop")).toEqual([
      'Tool "drop" of server "s" is on offer.',
      "By pins it is as it was at the first use of its server.",
    ]);
  });
});
