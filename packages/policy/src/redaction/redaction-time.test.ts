import { describe, expect, it } from "vitest";
import { outcomeOf, stageCall, stageParts } from "../../test/still-parts.ts";
import { createRedaction } from "./create-redaction.ts";

const { interceptor } = createRedaction({ values: ["hunter2-known", "an other/value"], keys: ["pin"] }, stageParts());

async function timeOf(result: Parameters<typeof outcomeOf>[0]): Promise<number> {
  // Processor time, because a busy machine is not slow work.
  const before = process.cpuUsage();
  await interceptor(stageCall(), async () => outcomeOf(result));
  return process.cpuUsage(before).user / 1000;
}

// A megabyte takes a fraction of a second in linear time, and minutes in quadratic time.
const longText = 1024 * 1024;
const longestMs = 10_000;

describe("a hostile text is masked in linear time", () => {
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
    const text = unit.repeat(Math.ceil(longText / unit.length));
    expect(await timeOf({ content: [{ type: "text", text }] })).toBeLessThan(longestMs);
  });

  it("many short texts", async () => {
    const structuredContent = Array.from({ length: 200_000 }, (_, at) => `a${at}=`);
    expect(await timeOf({ structuredContent })).toBeLessThan(longestMs);
  });
});
