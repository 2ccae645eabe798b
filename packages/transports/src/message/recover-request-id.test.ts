import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { endsOf, recoverRequestId } from "./bound-message.ts";

const filler = "x".repeat(5000);

function recover(line: string): unknown {
  return recoverRequestId(endsOf(line));
}

describe("recoverRequestId()", () => {
  it.each<[unknown, string]>([
    [7, `{"jsonrpc":"2.0","id":7,"result":{"text":"${filler}"}}`],
    [7, `{"result":{"text":"${filler}"},"jsonrpc":"2.0","id":7}`],
    [7, `{"result":{"text":"${filler}"},"id":7,"jsonrpc":"2.0"}`],
    [7, ` { "id" : 7 , "jsonrpc" : "2.0" , "error" : { "message" : "${filler}" } } \r`],
    [7, `{"id":7,"result":"${filler}"}`],
    [7, `{"id":7,"result":["${filler}"]}`],
    ['a,"}', `{"id":"a,\\"}","result":{"text":"${filler}"}}`],
    ["probe-1", `{"result":{"text":"${filler}"},"jsonrpc":"2.0","id":"probe-1"}`],
    [-3, `{"result":{"text":"${filler}"},"id":-3}`],
  ])("reads %j", (id, line) => {
    expect(recover(line)).toBe(id);
  });

  it.each([
    [
      "a request of the server",
      `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"a":"${filler}"}}`,
    ],
    [
      "the same with its id last",
      `{"method":"sampling/createMessage","params":{"a":"${filler}"},"jsonrpc":"2.0","id":7}`,
    ],
    ["a notification", `{"jsonrpc":"2.0","method":"notifications/message","params":{"id":7,"a":"${filler}"}}`],
    ["an id inside the result", `{"result":{"id":7,"text":"${filler}"}}`],
    ["an id at the end of the result", `{"result":{"text":"${filler}","id":7}}`],
    ["an id inside a text", `{"result":{"text":"${filler},\\"id\\":7}"}}`],
    ["an id that is null", `{"jsonrpc":"2.0","id":null,"error":{"message":"${filler}"}}`],
    ["an id that is an object", `{"jsonrpc":"2.0","id":{},"result":{"message":"${filler}"}}`],
    ["a batch", `[{"jsonrpc":"2.0","id":7,"result":{"text":"${filler}"}}]`],
    ["no JSON at all", filler],
    ["an unfinished line", `{"result":{"text":"${filler}`],
  ])("finds none in %s", (_, line) => {
    expect(recover(line)).toBeUndefined();
  });

  it("takes linear time on hostile ends", async () => {
    const recoverAll = (): void => {
      for (const text of [
        " ".repeat(1024),
        ', "id"'.repeat(170),
        `{${'"a":1,'.repeat(170)}`,
        `{"a":"${"\\".repeat(1000)}`,
      ])
        for (let round = 0; round < 100; round += 1) recover(text);
    };
    expect(await cpuSecondsOf(recoverAll)).toBeLessThan(2);
  });
});
