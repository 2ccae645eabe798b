import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { safeCause } from "./redaction.ts";
import { HostsideError } from "./hostside-error.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
const foreign = Object.assign(new TypeError("refused: hunter2", { cause: new Error("inner hunter2") }), {
  code: "ENOENT",
  spawnargs: ["--api-key", "hunter2"],
});

describe("safeCause()", () => {
  it("shows no secret in any mode of inspect, and keeps name, message, code and causes", () => {
    const cause = safeCause(foreign, redact);
    expect(cause).toMatchObject({ name: "TypeError", message: "refused: [redacted]", code: "ENOENT" });
    expect(cause?.cause).toMatchObject({ message: "inner [redacted]" });
    const error = new HostsideError("x failed", { code: "spawn_failed", cause });
    for (const customInspect of [true, false]) {
      const text = inspect(error, { customInspect, showHidden: true, depth: 20 });
      expect(text).not.toContain("hunter2");
      expect(text).toContain("ENOENT");
    }
  });

  it("leaves our own errors as they are, and leaves out what is no error", () => {
    const ours = new HostsideError("x", { code: "closed" });
    expect(safeCause(ours, redact)).toBe(ours);
    expect(safeCause({ token: "hunter2" }, redact)).toBeUndefined();
    expect(safeCause("hunter2", redact)).toBeUndefined();
  });

  it("ends when causes loop", () => {
    const a = new Error("a");
    a.cause = a;
    expect(inspect(safeCause(a, redact))).toContain("Error: a");
  });
});
