import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admitText, maxMessageDepth } from "./bound-message.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const admit = (text: string) => admitText(text, { serverId: "a", maxMessageValues: 100_000 });

describe("admitText()", () => {
  it.each(["hello", '{"a":', "{", "undefined", "{}{}", ""])("takes %j for no JSON", (text) => {
    expect(admit(text)).toEqual({ fault: "not JSON", id: undefined });
  });

  it("names the request that broken JSON answers", () => {
    expect(admit('{"jsonrpc":"2.0","id":7,"result":{"a')).toEqual({ fault: "not JSON", id: 7 });
  });

  it("lets a batch of a thousand messages in, and refuses a larger one", () => {
    const batch = (count: number): string => `[${Array(count).fill("{}").join(",")}]`;
    expect(admit(batch(1000)).fault).toBeUndefined();
    expect(admit(batch(1001))).toEqual({ fault: "a batch of more than 1000 messages", id: undefined });
    // A batch of this size is not even parsed.
    expect(admit(batch(1_000_000))).toMatchObject({ fault: "too large", excess: { code: "message_too_large" } });
  });

  it("keeps __proto__ a member like any other", () => {
    const { json } = { json: undefined, ...admit('{"__proto__":{"polluted":true}}') };
    expect(Object.hasOwn(json ?? {}, "__proto__")).toBe(true);
    expect("polluted" in {}).toBe(false);
  });

  it("lets in what is nested as deeply as allowed, and nothing deeper", () => {
    const fault = `nested deeper than ${maxMessageDepth} levels`;
    expect(admit(`{"id":1,"result":${nested(maxMessageDepth - 1)}}`).fault).toBeUndefined();
    expect(admit(`{"id":1,"result":${nested(maxMessageDepth)}}`)).toEqual({ fault, id: 1 });
    expect(admit(nested(maxMessageDepth + 1))).toEqual({ fault, id: undefined });
    expect(admit(`{"id":"a","result":{"b":[0,{"c":${nested(90_000)}}]}}`)).toEqual({ fault, id: "a" });
    // The id of a request of the server is no id of an answer.
    expect(admit(`{"id":1,"method":"x","params":${nested(maxMessageDepth)}}`)).toEqual({ fault, id: undefined });
    expect(admit(`{"id":1,"result":{"tools":[],"_meta":${nested(600)}}}`)).toEqual({ fault, id: 1 });
  });

  it.each(["tools", "prompts", "resources", "resourceTemplates"])("cuts %s where they are too deep", (list) => {
    const plain = { name: "plain", inputSchema: { type: "object" } };
    const deep = `{"name":"deep","inputSchema":{"a":${nested(600)}}}`;
    const admitted = admit(`{"id":1,"result":{"${list}":[${JSON.stringify(plain)},${deep}],"nextCursor":"2"}}`);
    const result = { [list]: [plain, { name: "deep" }], nextCursor: "2" };
    expect(admitted).toMatchObject({ json: { id: 1, result } });
    expect(admit(JSON.stringify({ json: undefined, ...admitted }.json)).fault).toBeUndefined();
  });

  it("never throws, and reads what JSON.stringify writes", () => {
    fc.assert(fc.property(fc.string(), (text) => void admit(text)));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (message) => {
        const text = JSON.stringify(message);
        expect(admit(text)).toEqual({ json: JSON.parse(text) });
      }),
    );
  });
});
