import { describe, expect, it } from "vitest";
import { createRedactionWorld, firstText, github, jwt, long, pem, textOf } from "../../test/redaction-world.ts";
import { outcomeOf, stageCall, stageParts } from "../../test/still-parts.ts";
import { createRedaction } from "./create-redaction.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

const known = "Kn0wn value of the host";
const partLength = 16_384;
const filler = "The quick brown fox jumps over it.\n";
const fill = (length: number): string => filler.repeat(Math.ceil(length / filler.length)).slice(0, length);

const secrets: readonly (readonly [string, string])[] = [
  ["a value that the host knows", known],
  ["one in Base64", btoa(`user:${known}`)],
  ["one escaped twice", encodeURIComponent(encodeURIComponent(known))],
  ["a token", github],
  ["a JWT", jwt],
  ["a bearer", `Bearer ${long.slice(0, 60)}1`],
  ["a private key", pem],
  ["a private key longer than a part", pem.replace("\n", `\n${`${long.slice(0, 60)}\n`.repeat(1500)}`)],
  ["a pair", '{"password":"hunter2 and more"}'],
  ["a pair of a word", "api_key=hunter2-hunter2"],
  ["a number under a key", '{"token": 1234567890}'],
  ["a list longer than two parts", `{"tokens":[${'"hunter2", 17, '.repeat(6000)}"last-of-them"]}`],
  ["a value longer than two parts", `{"password":"${"hunter2 ".repeat(12_000)}"}`],
  ["a token longer than two parts", `ghp_${long.slice(0, 50).repeat(2000)}`],
];

describe("a long text, which is masked in turns", () => {
  it.each(secrets)("is masked as in one piece, wherever a part ends: %s", async (_, secret) => {
    const { send, redaction } = createRedactionWorld({ values: [known] });
    const steps = [0, 1, 2, 7, Math.floor(secret.length / 2), secret.length - 1, secret.length];
    const offsets = [...new Set(steps.filter((step) => step <= partLength))];
    for (const offset of offsets) {
      const text = `${fill(2 * partLength - offset)}\n${secret}\n${fill(partLength)}${secret} ${filler}`;
      const masked = firstText((await send({ content: textOf(text) })).content);
      expect(masked).not.toBe(text);
      const isLong = secret.length > partLength;
      // A longer one may be masked with all that follows.
      const whole = isLong ? masked : redaction.redactText(text);
      expect(masked).toBe(whole);
      const words = isLong ? secret.split(/\s/).filter((word) => word.length > 6) : [];
      expect(words.filter((word) => masked.includes(word))).toEqual([]);
    }
  });

  it("lets others have their turn in between", async () => {
    let now = 0;
    const { interceptor } = createRedaction({ values: [known] }, stageParts());
    useTestClock({ now: () => (now += 5) });
    const text = `${fill(3 * 1024 * 1024)}${known}`;
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const outcome = await interceptor(stageCall(), async () => outcomeOf({ content: textOf(text) }));
    isOver = true;
    expect(turns).toBeGreaterThan(90);
    expect(firstText(outcome.content)).not.toContain(known);
    expect(firstText(outcome.content).slice(0, 3 * 1024 * 1024)).toBe(text.slice(0, 3 * 1024 * 1024));
  });

  it("lets others have their turn between many short texts", async () => {
    let now = 0;
    const { interceptor } = createRedaction({ values: [known] }, stageParts());
    useTestClock({ now: () => (now += 5) });
    const texts = Array.from({ length: 3000 }, (_, at) => `${at} ${fill(1000)}`);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const structuredContent = { texts: [...texts, known] };
    const outcome = await interceptor(stageCall(), async () => outcomeOf({ structuredContent }));
    isOver = true;
    expect(turns).toBeGreaterThan(1000);
    expect(outcome.structuredContent).toMatchObject({ texts: [...texts, expect.stringMatching(/^\[secret:/)] });
  });
});
