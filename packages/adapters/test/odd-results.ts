import fc from "fast-check";
import type { JsonObject } from "@hostside/core";
import type { ToolSource } from "../src/declare/tool-source.ts";
import { definitionOf, outcomeOf, png } from "./outcomes.ts";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\uD800", "x".repeat(70_000), '{"a":1}'));
const data = fc.oneof(fc.constantFrom(png, "", "AAAA", "not base64", "JVBERi0="), text);
const mimeType = fc.oneof(
  fc.constantFrom("image/png", "IMAGE/PNG", "image/svg+xml", "audio/wav", "application/pdf", "image/png;x=y", ""),
  text,
);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constantFrom("image", "audio"), data, mimeType }),
  fc.record({ type: fc.constant("resource_link"), uri: text, name: text }),
  fc.record({ type: fc.constant("resource"), resource: fc.record({ uri: text, blob: data, mimeType }) }),
  fc.record({ type: fc.constant("resource"), resource: fc.record({ uri: text, text }) }),
  fc.record({ type: text }),
);
/** What a server may answer that was never tried, or that means harm. */
export const oddResult: fc.Arbitrary<object> = fc.record(
  {
    content: fc.array(block, { maxLength: 6 }),
    structuredContent: fc.jsonValue(),
    isError: fc.boolean(),
  },
  { requiredKeys: ["content"] },
);

/** A source of one tool, `t`, that answers so. */
export function sourceOf(raw: object): ToolSource {
  const parsed: JsonObject = JSON.parse(JSON.stringify(raw));
  const outcome = outcomeOf(parsed);
  return { tools: () => [definitionOf("t")], call: async () => outcome };
}
