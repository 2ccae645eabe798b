import type { ServerEntry } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createConnector } from "../connector.ts";

describe("check()", () => {
  const connector = createConnector();
  it.each([
    { spec: { id: " ", type: "stdio", command: "x" }, field: "id" },
    { spec: { id: "a", type: "stdio", command: " " }, field: "command" },
    { spec: { id: "a", type: "http", url: "" }, field: "url" },
    { spec: { id: "a", type: "http", url: "ftp://x.test" }, field: "url" },
    { spec: { id: "a", type: "stdio", command: "a\0b" }, field: "command" },
    { spec: { id: "a", type: "stdio", command: "x", args: ["a\0b"] }, field: "args.0" },
    { spec: { id: "a", type: "stdio", command: "x", env: { "A=B": "1" } }, field: "env" },
    { spec: { id: "a", type: "stdio", command: "x", env: { "": "1" } }, field: "env" },
    { spec: { id: "a", type: "stdio", command: "x", env: { TOKEN: "secret\0" } }, field: "env.TOKEN" },
    { spec: { id: "a", type: "stdio", command: "x", cwd: " " }, field: "cwd" },
    {
      spec: { id: "a", type: "http", url: "http://x.test", bearerToken: "t0ken-value" },
      field: "bearerToken",
    },
    { spec: { id: "a", type: "http", url: "https://x.test", auth: "oauth" }, field: "auth" },
    { spec: { id: "a", type: "http", url: "https://x.test", auth: "api-key" }, field: "auth" },
    { spec: { id: "a", type: "carrier-pigeon" }, field: "type" },
  ])("refuses $spec with invalid_spec, naming $field, before anything starts", async ({ spec, field }) => {
    // What a product reads from a file has any shape.
    const bad = spec as never;
    expect(() => connector.check?.(bad)).toThrow(expect.objectContaining({ code: "invalid_spec", details: { field } }));
    const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
    const connecting = connector.connect(bad, hooks, new AbortController().signal);
    await expect(connecting).rejects.toMatchObject({ code: "invalid_spec", details: { field } });
  });

  it.each<ServerEntry>([
    { type: "stdio", command: "x" },
    { type: "stdio", command: "x", args: ["$(rm)", "", "a b"], env: { KEY: "" }, inheritEnv: "none", cwd: "/" },
    { type: "http", url: "https://x.test/mcp" },
    { type: "http", url: "https://x.test/mcp", bearerToken: "t0ken", headers: { "x-team": "a" }, mode: "sse" },
  ])("takes %j with lists of tools, and changes nothing of it", (transport) => {
    const spec = { id: "a", ...transport, allow: ["one"], deny: ["two"] };
    const before = structuredClone(spec);
    connector.check?.(deepFreeze(spec));
    expect(spec).toEqual(before);
  });

  it("hands arguments to the program as they are, without a shell and without a cwd", async () => {
    const args = ["$(rm)", "`id`", "a b; c", "*"];
    const program = "console.error(JSON.stringify([process.argv.slice(1), process.cwd()])); process.exit(3)";
    const spec = {
      id: "a",
      type: "stdio",
      command: process.execPath,
      args: ["-e", program, ...args],
    } as const;
    const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
    const connecting = connector.connect(spec, hooks, new AbortController().signal);
    await expect(connecting).rejects.toMatchObject({
      code: "server_exited",
      message: expect.stringContaining(JSON.stringify([args, process.cwd()])),
    });
  });
});

function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) if (typeof member === "object") deepFreeze(member as object);
  return Object.freeze(value);
}
