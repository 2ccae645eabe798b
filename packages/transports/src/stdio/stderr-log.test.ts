import { describe, expect, it } from "vitest";
import { createStderrLog } from "./stderr-log.ts";

function createLog() {
  const texts: string[] = [];
  let now = 0;
  const log = createStderrLog({
    onLog: ({ text }) => texts.push(text),
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    clock: { now: () => now, schedule: () => () => {} },
  });
  return {
    texts,
    push: (text: string) => log.push(Buffer.from(text)),
    end: () => log.end(),
    advance: (ms: number) => void (now += ms),
  };
}

describe("createStderrLog()", () => {
  it("logs each line that is not blank (AD-3), clean and redacted, and an unfinished one at the end", () => {
    const { texts, push, end } = createLog();
    push("starting\r\n\n \u001B[31mred\u001B[0m hun");
    push("ter2\nlast");
    expect(texts).toEqual(["starting", "red [redacted]"]);
    end();
    expect(texts).toEqual(["starting", "red [redacted]", "last"]);
  });

  it("logs 200 lines a second and counts the rest", () => {
    const { texts, push, end, advance } = createLog();
    push("flood\n".repeat(1000));
    expect(texts).toHaveLength(200);
    advance(1000);
    push("calm\n");
    expect(texts.slice(200)).toEqual(["(800 more lines on stderr were not logged)", "calm"]);
    push("flood\n".repeat(300));
    end();
    expect(texts.at(-1)).toBe("(101 more lines on stderr were not logged)");
  });

  it("cuts long lines, and leaves out a word that was cut, because it may be half a secret", () => {
    const { texts, push } = createLog();
    push(`${"a ".repeat(5000)}\n`);
    expect(texts[0]).toHaveLength(4096);
    push(`start hunter2 ${"x".repeat(50_000)}\n`);
    expect(texts[1]).toBe("start [redacted] … (50014 bytes)");
  });
});
