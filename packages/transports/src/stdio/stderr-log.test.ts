import { describe, expect, it } from "vitest";
import { createStderrLog } from "./stderr-log.ts";

function createLog() {
  const texts: string[] = [];
  let now = 0;
  let looks = 0;
  const log = createStderrLog({
    onLog: ({ text }) => texts.push(text),
    redact: (text) => {
      looks += 1;
      return text.replaceAll("hunter2", "[redacted]");
    },
    clock: { now: () => now, schedule: () => () => {} },
  });
  return {
    texts,
    push: (text: string) => log.push(Buffer.from(text)),
    end: () => log.end(),
    advance: (ms: number) => void (now += ms),
    looks: () => looks,
  };
}

describe("createStderrLog()", () => {
  it("logs each line that is not blank, clean and redacted, and an unfinished one at the end", () => {
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

  it("looks at 2,000 lines a second at most, also when they are blank", () => {
    const { texts, push, end, advance, looks } = createLog();
    push("before\nunfini");
    for (let count = 0; count < 20; count += 1) push("\n".repeat(65_536));
    expect(looks()).toBe(2000);
    push("hidden\nhalf a ");
    advance(1000);
    push("line\n");
    end();
    expect(texts).toEqual([
      "before",
      "unfini",
      `(${20 * 65_536 + 2 - 2000} more lines on stderr were not logged)`,
      "half a line",
    ]);
  });

  it("cuts long lines, and leaves out a word that was cut, because it may be half a secret", () => {
    const { texts, push } = createLog();
    push(`${"a ".repeat(5000)}\n`);
    expect(texts[0]).toHaveLength(4096);
    push(`start hunter2 ${"x".repeat(50_000)}\n`);
    expect(texts[1]).toBe("start [redacted] … (50014 bytes)");
  });
});
