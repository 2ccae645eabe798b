import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxMessageDepth } from "../message/admission.ts";
import { parseLine as parse } from "./message-reader.ts";

const parseLine = (line: string) => parse(line, { serverId: "a", maxMessageValues: 100_000 });
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("parseLine()", () => {
  it.each(['{"a":1}', '{"a":1}\r', ' \t{"a":1} ', '\uFEFF{"a":1}'])("reads %j as a message", (line) => {
    expect(parseLine(line)).toEqual({ kind: "messages", messages: [{ a: 1 }], strayCount: 0 });
  });

  it.each(["", " ", "\r", "\uFEFF"])("takes %j for blank", (line) => {
    expect(parseLine(line)).toEqual({ kind: "blank" });
  });

  it.each(["hello", '{"a":', "{", "[", "42", "null", '"text"', "undefined", "{}{}"])("takes %j for noise", (line) => {
    expect(parseLine(line)).toEqual({ kind: "anomaly", reason: "not JSON" });
  });

  it.each(["[]", "[1]", "[[{}]]"])("takes %j for noise, because it holds no message", (line) => {
    expect(parseLine(line)).toEqual({ kind: "anomaly", reason: "no JSON-RPC message" });
  });

  it("reads the messages of a batch and counts the rest", () => {
    expect(parseLine('[{"a":1},2,{"b":3}]')).toEqual({
      kind: "messages",
      messages: [{ a: 1 }, { b: 3 }],
      strayCount: 1,
    });
  });

  it("reads a batch of a thousand messages, and refuses a larger one", () => {
    const batch = (count: number): string => `[${Array(count).fill("{}").join(",")}]`;
    expect(parseLine(batch(1000))).toMatchObject({ kind: "messages", strayCount: 0 });
    const refused = { kind: "anomaly", reason: "a batch of more than 1000 messages" };
    expect(parseLine(batch(1001))).toEqual(refused);
    expect(parseLine(` ${batch(1001)}`)).toEqual(refused);
    // A batch of this size is not even parsed.
    expect(parseLine(batch(1_000_000))).toMatchObject({ kind: "excessive" });
  });

  it("keeps __proto__ a member like any other", () => {
    const parsed = parseLine('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const [message] = parsed.kind === "messages" ? parsed.messages : [];
    expect(Object.hasOwn(message ?? {}, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it("lets in what is nested as deeply as allowed, and nothing deeper", () => {
    expect(parseLine(`{"id":1,"result":${nested(maxMessageDepth - 1)}}`)).toMatchObject({ kind: "messages" });
    expect(parseLine(`{"id":1,"result":${nested(maxMessageDepth)}}`)).toEqual({ kind: "too-deep", requestId: 1 });
    expect(parseLine(nested(maxMessageDepth + 1))).toEqual({ kind: "too-deep" });
    expect(parseLine(`{"id":"a","result":{"b":[0,{"c":${nested(90_000)}}]}}`)).toEqual({
      kind: "too-deep",
      requestId: "a",
    });
  });

  it("does not take the id of a request of the server for the id of an answer", () => {
    expect(parseLine(`{"id":1,"method":"sampling/createMessage","params":${nested(maxMessageDepth)}}`)).toEqual({
      kind: "too-deep",
    });
  });

  it("never throws, and reads what JSON.stringify writes", () => {
    fc.assert(fc.property(fc.string(), (line) => void parseLine(line)));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (message) => {
        const json = JSON.stringify(message);
        expect(parseLine(json)).toEqual({ kind: "messages", messages: [JSON.parse(json)], strayCount: 0 });
      }),
    );
  });
});
