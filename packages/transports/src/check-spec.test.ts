import { describe, expect, it } from "vitest";
import { createConnector } from "./connector.ts";

describe("check()", () => {
  const connector = createConnector();
  it.each([
    { spec: { id: " ", transport: { kind: "stdio", command: "x" } }, field: "id" },
    { spec: { id: "a", transport: { kind: "stdio", command: " " } }, field: "transport.command" },
    { spec: { id: "a", transport: { kind: "http", url: "" } }, field: "transport.url" },
    { spec: { id: "a", transport: { kind: "http", url: "ftp://x.test" } }, field: "transport.url" },
    { spec: { id: "a", transport: { kind: "stdio", command: "x", args: ["a\0b"] } }, field: "transport.args.0" },
    {
      spec: { id: "a", transport: { kind: "http", url: "http://x.test", bearerToken: "t0ken-value" } },
      field: "transport.bearerToken",
    },
    { spec: { id: "a", transport: { kind: "http", url: "https://x.test", auth: "oauth" } }, field: "transport.auth" },
    { spec: { id: "a", transport: { kind: "carrier-pigeon" } }, field: "transport.kind" },
  ])(
    "refuses $spec.transport with invalid_spec, naming $field, before anything starts (AN-14, AD-2)",
    async ({ spec, field }) => {
      // What a product reads from a file has any shape.
      const bad = spec as never;
      expect(() => connector.check?.(bad)).toThrow(
        expect.objectContaining({ code: "invalid_spec", details: { field } }),
      );
      const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
      const connecting = connector.connect(bad, hooks, new AbortController().signal);
      await expect(connecting).rejects.toMatchObject({ code: "invalid_spec", details: { field } });
    },
  );

  it("does not mind a good one (AN-12, AN-16)", () => {
    expect(() =>
      connector.check?.({ id: "a", transport: { kind: "stdio", command: "x", args: ["$(rm)"] } }),
    ).not.toThrow();
  });
});
