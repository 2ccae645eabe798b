import { startFaultServer } from "@hostside/fixtures";
import { createProvider } from "@hostside/provider";
import { createResources, readSelected } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { createWorld, failureOf, settle } from "./scripted-world.ts";

const selection = ["1", "2", "3"].map((name) => ({ serverId: "a", uri: `n:${name}` }));

describe("readSelected()", () => {
  it("gives what was selected as blocks, in order and without _meta, and failures as data", async () => {
    const { resources, server } = createWorld();
    server("a").answer = ({ params: { uri } }) => {
      if (uri === "n:1") return { contents: [{ uri, text: "one", mimeType: "text/plain", _meta: { secret: 1 } }] };
      return uri === "n:2" ? { contents: "none" } : { contents: [{ uri: "n:3", blob: "AAEC" }] };
    };
    const unknown = { serverId: "z", uri: "n:9" };
    const { resources: found, failures } = await readSelected(resources, [...selection, unknown]);
    expect(found).toEqual([
      {
        serverId: "a",
        uri: "n:1",
        blocks: [{ type: "resource", resource: { uri: "n:1", mimeType: "text/plain", text: "one" } }],
      },
      { serverId: "a", uri: "n:3", blocks: [{ type: "resource", resource: { uri: "n:3", blob: "AAEC" } }] },
    ]);
    expect(failures).toMatchObject([
      { serverId: "a", uri: "n:2", error: { code: "protocol_error" } },
      { ...unknown, error: { code: "unknown_server" } },
    ]);
  });

  it("takes what fits, whole, and says what did not", async () => {
    const { resources, server } = createWorld();
    server("a").answer = ({ params: { uri } }) => ({
      contents: [{ uri: "n", text: "x".repeat(uri === "n:2" ? 8 : 3) }],
    });
    const { resources: found, failures } = await readSelected(resources, selection, { maxTotalLength: 10 });
    expect(found.map(({ uri }) => uri)).toEqual(["n:1", "n:3"]);
    expect(failures).toMatchObject([
      { uri: "n:2", error: { code: "message_too_large", details: { usage: { used: 8, limit: 7 } } } },
    ]);
  });

  it("throws what is no word on a resource", async () => {
    const { resources, server } = createWorld();
    const abort = new AbortController();
    server("a").answer = () => new Promise(() => {});
    const work = failureOf(readSelected(resources, selection, { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await work).toMatchObject({ code: "aborted" });
    await expect(readSelected(resources, JSON.parse('[{"serverId":"a"}]'))).rejects.toThrow(TypeError);
    await expect(readSelected(resources, JSON.parse('"all"'))).rejects.toThrow(TypeError);
    await expect(
      readSelected(
        resources,
        Array.from({ length: 101 }, () => selection[0] ?? { serverId: "", uri: "" }),
      ),
    ).rejects.toThrow("at most 100");
    await resources.close();
    await expect(readSelected(resources, selection)).rejects.toMatchObject({ code: "closed" });
  });

  it("is all that a call sends beside its arguments: nothing of the conversation is on the wire", async () => {
    const server = await startFaultServer({
      transport: "http",
      script: {
        era: "legacy",
        capabilities: { resources: {}, tools: {} },
        rules: [
          {
            on: "resources/read",
            do: [{ type: "respond", message: { result: { contents: [{ uri: "n:1", text: "selected" }] } } }],
          },
        ],
      },
    });
    const provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "a", ...server.spec }],
    });
    const resources = createResources(provider);
    const context = { principal: "the-user", conversation: "the-history", correlationId: "the-turn" };
    const selected = await readSelected(resources, selection.slice(0, 1), { context });
    const given = selected.resources.flatMap(({ blocks }) => blocks);
    await provider.init();
    await provider.call("mcp_a_echo", { text: "hi" }, { context, meta: { selected: given } });
    const sent = server
      .trace()
      .filter(({ direction, text }) => direction === "in" && text.startsWith("{"))
      .map(({ text }) => JSON.parse(text));
    const params = (method: string): unknown => sent.find((message) => message.method === method)?.params;
    expect(params("resources/read")).toEqual({ uri: "n:1" });
    expect(params("tools/call")).toEqual({
      name: "echo",
      arguments: { text: "hi" },
      _meta: expect.objectContaining({ selected: [{ type: "resource", resource: { uri: "n:1", text: "selected" } }] }),
    });
    expect(JSON.stringify(server.trace())).not.toMatch(/the-user|the-history|the-turn/);
    await provider.close();
    await server.close();
  });
});
