import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseUriTemplate } from "../complete.ts";

// The texts of https://www.rfc-editor.org/rfc/rfc6570#section-3.2, with what the RFC says comes of
// them.
const values = { var: "value", hello: "Hello World!", empty: "", path: "/foo/bar", x: "1024", y: "768", half: "50%" };
const pick = (...names: readonly (keyof typeof values)[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, values[name]]));

describe("parseUriTemplate()", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["{var}", pick("var"), "value"],
    ["{hello}", pick("hello"), "Hello%20World%21"],
    ["O{empty}X", pick("empty"), "OX"],
    ["{x,y}", pick("x", "y"), "1024,768"],
    ["{var:3}", pick("var"), "val"],
    ["{var:30}", pick("var"), "value"],
    ["{+var}", pick("var"), "value"],
    ["{+hello}", pick("hello"), "Hello%20World!"],
    ["{+half}", pick("half"), "50%25"],
    ["{+path}/here", pick("path"), "/foo/bar/here"],
    ["here?ref={+path}", pick("path"), "here?ref=/foo/bar"],
    ["{+x,hello,y}", pick("x", "hello", "y"), "1024,Hello%20World!,768"],
    ["{#path,x}/here", pick("path", "x"), "#/foo/bar,1024/here"],
    ["X{.x,y}", pick("x", "y"), "X.1024.768"],
    ["{/var,x}/here", pick("var", "x"), "/value/1024/here"],
    ["{/var:1,var}", pick("var"), "/v/value"],
    ["{;x,y,empty}", pick("x", "y", "empty"), ";x=1024;y=768;empty"],
    ["{?x,y,empty}", pick("x", "y", "empty"), "?x=1024&y=768&empty="],
    ["?fixed=yes{&x}", pick("x"), "?fixed=yes&x=1024"],
    ["{?x,y}", {}, ""],
    ["file:///{path*}", { path: "a/b" }, "file:///a%2Fb"],
    ["repo://{owner}/{repo-name}/{+path}", { owner: "a b", "repo-name": "c", path: "d/é" }, "repo://a%20b/c/d/%C3%A9"],
    ["n:{+v}", { v: "%41%zz" }, "n:%41%25zz"],
    ["n:{v}", { v: "\uD800" }, "n:%EF%BF%BD"],
    ["n:{__proto__}", JSON.parse('{"__proto__":"x"}'), "n:x"],
    ["plain:é", {}, "plain:%C3%A9"],
  ])("expands %s", (template, given, uri) => {
    expect(parseUriTemplate(template).expand(given)).toBe(uri);
  });

  it("says which variables there are, and which ones a URI can do without", () => {
    expect(parseUriTemplate("n://{a}{?b,c}{&a}").variables).toEqual([
      { name: "a", optional: false },
      { name: "b", optional: true },
      { name: "c", optional: true },
    ]);
  });

  it("names what is missing, what is no variable and what is no text", () => {
    const { expand } = parseUriTemplate("n://{a}/{b}{?c}");
    const refused = { code: "invalid_arguments", outcome: "not-sent" };
    expect(() => expand({ b: "1" })).toThrow(expect.objectContaining(refused));
    expect(() => expand({})).toThrow(/needs "a", "b"/);
    expect(() => expand({ a: "1", b: "2", d: "3" })).toThrow(/no variable "d"/);
    expect(() => expand(JSON.parse('{"a":1,"b":"2"}'))).toThrow(/"a" must be one/);
    expect(() => expand({ a: "x".repeat(9000), b: "" })).toThrow(/9005 UTF-16 units/);
  });

  it.each([
    "{",
    "}",
    "{}",
    "{a",
    "a}",
    "{a b}",
    "{{a}}",
    "{a,}",
    "{|a}",
    "{a:0}",
    "{a:99999}",
    "{a..b}",
    "x".repeat(8193),
  ])("refuses %s", (template) => {
    expect(() => parseUriTemplate(template)).toThrow(expect.objectContaining({ code: "invalid_arguments" }));
  });

  it("makes one segment of any text, which comes back", () => {
    const unit = fc.constantFrom("a", " ", "/", "?", "%", "{", "!", "é", "😀", "\uD83D", "\uDE00", "\0");
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const uri = parseUriTemplate("n:{v}").expand({ v: text });
        expect(uri).toMatch(/^n:[A-Za-z0-9%_.~-]*$/);
        expect(decodeURIComponent(uri.slice(2))).toBe(text.toWellFormed());
      }),
      { numRuns: 100 },
    );
  });

  it("takes time that is linear in a hostile template", () => {
    for (const piece of ["{", "{a", "a.", "%41", "{a,", "a,"]) {
      const template = `{${piece.repeat(8000 / piece.length)}`;
      expect(() => parseUriTemplate(template)).toThrow(expect.objectContaining({ code: "invalid_arguments" }));
    }
  });
});
