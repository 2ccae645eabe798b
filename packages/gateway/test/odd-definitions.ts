import fc from "fast-check";

/** What servers put where something else belongs. */
export const odd: fc.Arbitrary<unknown> = fc.constantFrom(
  null,
  true,
  false,
  0,
  -1,
  1.5,
  Number.POSITIVE_INFINITY,
  "",
  "text",
  "half \uD83D of it",
  [],
  ["a", null, "b\uDC00"],
  {},
  { "a\uD800": null },
  [{}, true],
);

function maybe(good: unknown): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constant(good), odd);
}

/** An object with some of these members, each as it should be or odd. */
export function membersOf(good: Readonly<Record<string, unknown>>): fc.Arbitrary<object> {
  const members = Object.entries(good).map(([name, value]) => [
    name,
    value instanceof fc.Arbitrary ? fc.oneof(value, odd) : maybe(value),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

const schemaWords = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://example.com/one",
  id: "one",
  $ref: "#/$defs/a",
  $async: true,
  type: "object",
  nullable: true,
  format: "email",
  formatMinimum: "2020-01-01",
  pattern: "^(a+$",
  enum: ["a", null],
  const: null,
  default: null,
  description: "text",
  required: ["a"],
  minimum: 1,
  exclusiveMinimum: true,
  minLength: -1,
  uniqueItems: true,
  dependentRequired: { a: ["b"] },
};

/** A schema, or what a server takes for one. */
export const schema: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const inner = fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), odd, tie("schema"));
  const map = fc.dictionary(fc.constantFrom("a", "b", "$ref", "half\uD83D", "__proto__"), inner, { maxKeys: 3 });
  const deep = fc.record(
    {
      properties: fc.oneof(map, odd),
      patternProperties: map,
      $defs: map,
      additionalProperties: inner,
      items: fc.oneof(inner, fc.array(inner, { maxLength: 2 })),
      anyOf: fc.array(inner, { maxLength: 2 }),
      not: inner,
    },
    { requiredKeys: [] },
  );
  return { schema: fc.tuple(membersOf(schemaWords), deep).map(([words, more]) => ({ ...words, ...more })) };
}).schema;

const icons = fc.array(membersOf({ src: "data:,", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }));
const hints = membersOf({ audience: ["user"], priority: 1, lastModified: "2026-02-28T00:00:00Z" });
const words = { title: "Title", description: "Words", icons, _meta: { "acme/a": 1, progressToken: {} } };
const entry = { ...words, annotations: hints, mimeType: "text/plain", size: 5 };

/** The entry of a tool that is called `odd`. */
export const tool: fc.Arbitrary<object> = membersOf({
  ...words,
  inputSchema: schema,
  outputSchema: schema,
  annotations: membersOf({ title: "Title", readOnlyHint: true, destructiveHint: false, openWorldHint: true }),
  execution: membersOf({ taskSupport: "optional" }),
}).map((members) => ({ ...members, name: "odd" }));

/** A piece of a resource. */
export const contents: fc.Arbitrary<object> = membersOf({
  uri: "file:///a",
  text: "text",
  blob: "AA=",
  mimeType: "text/plain",
  _meta: {},
});

/** A block of a result or of a prompt, or what a server takes for one. */
export const block: fc.Arbitrary<unknown> = fc.oneof(
  odd,
  fc
    .tuple(
      fc.constantFrom("text", "image", "audio", "resource", "resource_link", "video", "half\uD83D"),
      membersOf({ ...entry, text: "text", data: "AAA", uri: "file:///a", name: "a", resource: contents }),
    )
    .map(([type, members]) => ({ ...members, type })),
);

/** The result of a call. */
export const result: fc.Arbitrary<object> = membersOf({
  content: fc.array(block, { maxLength: 3 }),
  structuredContent: fc.oneof(odd, fc.constant({ "a\uD83D": "b\uDC00" })),
  isError: false,
  toolResult: { a: 1 },
  _meta: { "acme/a": null, progressToken: [] },
});

/** The entries of resources, templates and prompts. */
export const resource: fc.Arbitrary<object> = membersOf({ ...entry, uri: "file:///a", name: "a" });
export const template: fc.Arbitrary<object> = membersOf({ ...entry, uriTemplate: "file:///{a}", name: "a" });
export const prompt: fc.Arbitrary<object> = membersOf({
  ...words,
  arguments: fc.array(membersOf({ name: "a", title: "A", description: "Its A", required: true }), { maxLength: 2 }),
}).map((members) => ({ ...members, name: "odd" }));

/** A form that a server asks a user to fill in, or a link. */
export const question: fc.Arbitrary<object> = membersOf({
  mode: fc.constantFrom("form", "url"),
  message: "Which one?",
  url: "https://example.com/",
  elicitationId: "one",
  task: { ttl: "1" },
  requestedSchema: membersOf({
    type: "object",
    required: ["a"],
    properties: fc.dictionary(
      fc.constantFrom("a", "b\uD83D"),
      membersOf({
        type: fc.constantFrom("string", "number", "boolean", "array"),
        title: "A",
        description: "Its A",
        enum: ["a", "b"],
        oneOf: [{ const: "a", title: "A" }],
        items: { type: "string", enum: ["a"] },
        format: "email",
        default: "a",
        minLength: 1,
      }),
      { maxKeys: 2 },
    ),
  }),
});
