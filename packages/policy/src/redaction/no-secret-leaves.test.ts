import { inspect } from "node:util";
import { HostsideError, type ContentBlock, type JsonObject } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { createRedactionWorld, github, jwt, long, pem, shownOf } from "../../test/redaction-world.ts";

describe("whatever comes back", () => {
  const known = 'Kn0wn/"s\\ecret+value';
  const spelled = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify(JSON.stringify(text)),
    encodeURIComponent,
    (text) => btoa(`user:${text}`),
    (text) => text.replaceAll('"', "&quot;"),
  );
  const secret = fc.oneof(
    spelled.map((spell) => `x ${spell(known)} y`),
    fc.constantFrom(github, `sk-ant-api03-${long.slice(0, 60)}`, jwt, pem).map((shape) => `(${shape})`),
    fc
      .constantFrom("access_token", "X-Api-Key", "clientSecret", "DB_PASSWORD")
      .chain((name) =>
        fc.constantFrom(`{"${name}":"Under-a-key-1"}`, `${name}=Under-a-key-1`, `\\"${name}\\": \\"Under-a-key-1\\"`),
      ),
  );
  const harmless = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("a:b", '"', "=", "{", "[secret:", "\\"),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(harmless, fc.integer(), fc.constant(null)),
      secret.map((text) => text),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(harmless, secret, fc.constant("__proto__")), tie("tree"), { maxKeys: 3 }),
      fc.dictionary(fc.constantFrom("password", "apiKey"), fc.constant("Under-a-key-1"), { maxKeys: 1 }),
    ),
  }));
  const traces = [
    known,
    JSON.stringify(known).slice(1, -1),
    encodeURIComponent(known),
    "Under-a-key-1",
    github,
    long.slice(0, 30),
  ];

  test.prop([fc.tuple(tree, tree, tree, tree)])("no secret leaves", async ([text, structured, meta, raw]) => {
    const { send, fail } = createRedactionWorld({ values: [known] });
    const data = { text, structured, meta, raw } as JsonObject;
    const outcome = await send({
      content: [
        { type: "text", text: JSON.stringify(text) },
        { type: "x", ...data },
      ] as unknown as readonly ContentBlock[],
      structuredContent: data,
      meta: { meta } as JsonObject,
      raw: { raw } as JsonObject,
    });
    const thrown = await fail(
      new HostsideError(JSON.stringify(text), {
        code: "server_error",
        details: { rpcData: structured, stderrTail: JSON.stringify(raw) },
        cause: new Error(JSON.stringify(meta)),
      }),
    );
    for (const shown of [
      JSON.stringify(outcome),
      inspect(outcome, { depth: null }),
      shownOf(thrown),
      String(thrown.stack),
      shownOf(thrown.cause),
    ]) {
      for (const trace of traces) expect(shown).not.toContain(trace);
    }
  });
});
