import { isHostsideError, type JsonValue } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorld } from "./scripted-world.ts";

const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
const text = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "note://1", "\u0000", "\uD800"));
const member = fc.constantFrom(
  "uri",
  "uriTemplate",
  "name",
  "title",
  "description",
  "mimeType",
  "size",
  "icons",
  "_meta",
);
const entry = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(member, fc.oneof(text, anything)) },
  { weight: 3, arbitrary: fc.record({ uri: text, uriTemplate: text, name: text }) },
  anything,
);
const page = fc.record({
  resources: fc.array(entry, { maxLength: 6 }),
  resourceTemplates: fc.array(entry, { maxLength: 6 }),
  contents: fc.array(fc.oneof(fc.record({ uri: text, text }), fc.record({ uri: text, blob: text }), anything)),
  nextCursor: fc.oneof(fc.constant(null), fc.string(), anything),
}) as fc.Arbitrary<JsonValue>;

describe("whatever a server answers", () => {
  it("is a list of what can be used, or an error as data, and a read or an error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: page }, anything), { minLength: 1 }),
        async (answers) => {
          const { resources, provider, server } = createWorld();
          server("a").answer = () => answers[server("a").asked.length % answers.length] ?? null;
          const { resources: found, failures, dropped } = await resources.list();
          const { templates } = await resources.listTemplates();
          const uris = found.map(({ uri }) => uri);
          expect(uris).toEqual(Array.from(new Set(uris)).toSorted((a, b) => (a < b ? -1 : 1)));
          for (const { name, title = "", uri } of found) {
            expect([typeof name, typeof title, typeof uri, uri === ""]).toEqual(["string", "string", "string", false]);
          }
          expect([templates.length <= 10_000, dropped.length <= 101]).toEqual([true, true]);
          expect(
            failures.every(({ error }) => error.code === "listing_truncated" || error.code === "protocol_error"),
          ).toBe(true);
          const read = await resources.read({ serverId: "a", uri: "note://1" }).catch((error: unknown) => error);
          const isFit =
            isHostsideError(read, "protocol_error") ||
            (typeof read === "object" && read !== null && "contents" in read);
          expect(isFit).toBe(true);
          await provider.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});
