import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { useTestClock } from "../../../../test/manual-clock.ts";
import { ServerStderr } from "./stdio-transport.ts";

function open(tailBytes = 65_536) {
  const texts: string[] = [];
  let now = 0;
  useTestClock({ now: () => now });
  const stream = new PassThrough();
  const stderr = new ServerStderr(stream, {
    tailBytes,
    onLog: ({ text }) => texts.push(text),
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  });
  return {
    texts,
    stderr,
    push: (text: string): void => {
      stream.emit("data", Buffer.from(text));
      stderr.pipe.flush?.();
    },
    advance: (ms: number) => void (now += ms),
  };
}

it("logs each line that is not blank, clean and redacted, and an unfinished one at the end", () => {
  const { texts, push, stderr } = open();
  push("starting\r\n\n \u001B[31mred\u001B[0m hun");
  push("ter2\nlast");
  expect(texts).toEqual(["starting", "red [redacted]"]);
  expect(stderr.quote()).toBe("starting\nred [redacted]\nlast");
  stderr.flushLog();
  expect(texts).toEqual(["starting", "red [redacted]", "last"]);
});

it("logs 200 lines a second and counts the rest", () => {
  const { texts, push, advance, stderr } = open();
  push("flood\n".repeat(1000));
  expect(texts).toHaveLength(200);
  advance(1000);
  push("calm\n");
  expect(texts.slice(200)).toEqual(["(800 more lines on stderr were not logged)", "calm"]);
  push("flood\n".repeat(300));
  stderr.flushLog();
  expect(texts.at(-1)).toBe("(101 more lines on stderr were not logged)");
});

it("quotes the last lines, and the first ones until the server has started", () => {
  const { push, stderr } = open();
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  push(`no access token was provided\n${lines.join("\n")}\n`);
  const last = lines.slice(-20);
  const first = ["no access token was provided", ...lines.slice(0, 9)];
  expect(stderr.quote()).toBe([...first, "…", ...last].join("\n"));
  stderr.started();
  expect(stderr.quote()).toBe(last.join("\n"));
});

it("keeps as many bytes of the last lines as it may", () => {
  const { push, stderr } = open(20);
  stderr.started();
  push("a ten letters line\nsecond\nthird\n");
  expect(stderr.quote()).toBe("second\nthird");
});

it("leaves out the end of a long line, and a word that was cut, because it may be half a secret", () => {
  const { texts, push, stderr } = open();
  push("fatal: no database\n");
  push(`start hunter2 ${"x".repeat(50_000)}`);
  push("\nbye\n");
  const cut = "start [redacted] … (50014 bytes)";
  expect(texts).toEqual(["fatal: no database", cut, "bye"]);
  expect(stderr.quote()).toBe(`fatal: no database\n${cut}\nbye`);
});
