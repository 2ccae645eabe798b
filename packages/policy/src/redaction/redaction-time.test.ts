import { describe, expect, it } from "vitest";
import { outcomeOf, stageCall, stageParts } from "../../test/still-parts.ts";
import { createRedaction } from "./create-redaction.ts";

const { interceptor } = createRedaction({ values: ["hunter2-known", "an other/value"], keys: ["pin"] }, stageParts());

async function timeOf(text: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await interceptor(stageCall(), async () => outcomeOf({ content: [{ type: "text", text }] }));
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[2] ?? 0;
}

const short = 64 * 1024;

describe("a hostile text takes time in proportion to its length", () => {
  it.each([
    ["words", "The quick brown fox jumps over it. "],
    ["beginnings of a JWT", "eyJhbGciOi"],
    ["beginnings of a JWT in pieces", "eyJhbGciOi."],
    ["one run", "a"],
    ["tokens", `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(2)} `],
    ["keys and values", '{"password":"hunter2","token":"abc"},'],
    ["other keys and values", "a_token=b&"],
    ["delimiters", "=:>"],
    ["quotation marks", `"password":"`],
    ["marks that never end", `token="a\ntoken='b\ntoken=\`c\n`],
    ["nested lists", '"tokens":[{'],
    ["backslashes", "\\"],
    ["backslashes in a list", '"tokens":[\\\\\\\\\\'],
    ["escaped pairs", '\\"password\\":\\"x\\",'],
    ["private keys that never end", `${"-".repeat(5)}BEGIN PRIVATE KEY${"-".repeat(5)}\n`],
    ["bearers", "Bearer abc-"],
    ["users in URLs", "https://a:"],
    ["placeholders", "[secret:deadbeefcafe0123] token=x "],
    ["the value that the host knows", "hunter2-known"],
    ["percent signs", "%2570assword%253D"],
    ["spaces", " "],
    ["digits", '"token":1234567890'],
  ])("%s", async (_, unit) => {
    const text = unit.repeat(Math.ceil((4 * short) / unit.length));
    const time = await timeOf(text);
    expect(time / Math.max(await timeOf(text.slice(0, short)), 2)).toBeLessThan(10);
  });

  it("many short texts", async () => {
    const time = async (length: number): Promise<number> => {
      const structuredContent = Array.from({ length }, (_, at) => `a${at}=`);
      const start = performance.now();
      await interceptor(stageCall(), async () => outcomeOf({ structuredContent }));
      return performance.now() - start;
    };
    await time(20_000);
    expect((await time(80_000)) / Math.max(await time(20_000), 2)).toBeLessThan(10);
  });
});
