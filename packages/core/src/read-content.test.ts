import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isKnownContent, readContent } from "./content-block.ts";

const known = [
  {
    type: "text",
    text: "hello",
    annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
  },
  { type: "image", data: "AA==", mimeType: "image/png", _meta: { "acme/a": 1 } },
  { type: "audio", data: "AA==", mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "file:///a",
    name: "a",
    title: "A",
    description: "Its A",
    mimeType: "text/plain",
    size: 1,
    icons: [{ src: "data:,", mimeType: "image/png", sizes: ["any"], theme: "dark" }],
  },
  { type: "resource", resource: { uri: "file:///a", text: "a", mimeType: "text/plain" } },
  { type: "resource", resource: { uri: "file:///a", blob: "AA==", _meta: {} } },
];

describe("readContent()", () => {
  it("hands on each kind of the specification, and kinds it does not know, as the very objects that came", () => {
    const blocks = [...known, { type: "of tomorrow", text: 1 }, { type: "__proto__" }, { type: "" }];
    const read = readContent(blocks);
    expect(read).toHaveLength(blocks.length);
    for (const [index, block] of read.entries()) expect(block).toBe(blocks[index]);
    expect(read.map(isKnownContent)).toEqual([...known.map(() => true), false, false, false]);
  });

  it.each([
    { type: "text" },
    { type: "text", text: null },
    { type: "text", text: ["a"] },
    { type: "image", data: "AA==" },
    { type: "audio", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a" },
    { type: "resource" },
    { type: "resource", resource: "file:///a" },
    { type: "resource", resource: { uri: "file:///a" } },
    { type: "resource", resource: { text: "a" } },
  ])("does not pass $type off for what it is not: %j", (block) => {
    const [read] = readContent([block]);
    expect(read).toEqual({ ...block, type: `malformed:${block.type}` });
    expect(read !== undefined && isKnownContent(read)).toBe(false);
  });

  it("leaves optional members of the wrong type out, and keeps the block", () => {
    const text = { type: "text", text: "a", annotations: null, _meta: [], extra: null };
    expect(readContent([text])).toEqual([{ type: "text", text: "a", extra: null }]);
    const picky = { type: "text", text: "a", annotations: { audience: ["user", 1], priority: "high", more: 1 } };
    expect(readContent([picky])).toEqual([{ type: "text", text: "a", annotations: { audience: ["user"], more: 1 } }]);
    const link = { type: "resource_link", uri: "u", name: "n", title: 1, size: "1", icons: [{ src: 1 }, { src: "s" }] };
    expect(readContent([link])).toEqual([{ type: "resource_link", uri: "u", name: "n", icons: [{ src: "s" }] }]);
  });

  it("takes a resource for the one thing it is when it claims to be text and bytes", () => {
    const uri = "file:///a";
    const resources = [
      { uri, text: "a", blob: "AA==" },
      { uri, text: null, blob: "AA==" },
    ].map((resource) => ({ type: "resource", resource }));
    expect(readContent(resources)).toEqual([
      { type: "resource", resource: { uri, text: "a" } },
      { type: "resource", resource: { uri, blob: "AA==" } },
    ]);
  });

  it("has a text for a string, nothing for null, and a malformed block for anything else", () => {
    const text = { type: "text", text: "hello" };
    const block = { type: "malformed:block" };
    expect(readContent(["hello", null, 1, [], {}, { type: 1 }])).toEqual([text, block, block, block, block]);
    expect([null, undefined, "hello", text, {}, 1].map(readContent)).toEqual([
      [],
      [],
      [text],
      [text],
      [block],
      [block],
    ]);
  });

  it("leaves out annotations and icons that the specification does not have", () => {
    const odd = { audience: ["user", "admin"], priority: 2, lastModified: "2025-02-30T00:00:00Z" };
    expect(readContent([{ type: "text", text: "a", annotations: odd }])).toEqual([
      { type: "text", text: "a", annotations: { audience: ["user"] } },
    ]);
    const link = { type: "resource_link", uri: "u", name: "n", size: Infinity, icons: [{ src: "s", theme: "blue" }] };
    expect(readContent([link])).toEqual([{ type: "resource_link", uri: "u", name: "n", icons: [{ src: "s" }] }]);
  });

  it("never throws, changes nothing that it is given, and what it made reads the same again", () => {
    const member = fc.constantFrom(
      "text",
      "data",
      "mimeType",
      "uri",
      "name",
      "resource",
      "annotations",
      "_meta",
      "icons",
    );
    const value = fc.oneof(fc.string(), fc.jsonValue());
    const type = fc.constantFrom("text", "image", "audio", "resource_link", "resource", "other");
    const block = fc.tuple(type, fc.dictionary(member, value)).map(([type, members]) => ({ ...members, type }));
    fc.assert(
      fc.property(fc.array(fc.oneof(block, fc.jsonValue())), (content) => {
        const before = JSON.stringify(content);
        const read = readContent(content);
        expect(JSON.stringify(content)).toBe(before);
        for (const [index, one] of readContent(read).entries()) expect(one).toBe(read[index]);
      }),
    );
  });
});
