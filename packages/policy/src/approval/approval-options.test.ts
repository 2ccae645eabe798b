import { describe, expect, it } from "vitest";
import { readApprovalOptions, type ApprovalOptions } from "./approval-options.ts";

const key = new Uint8Array(32).fill(1);

describe("readApprovalOptions()", () => {
  it("has defaults that ask nobody, wait 5 minutes, and suspend nothing", () => {
    expect(readApprovalOptions({})).toEqual({
      handler: undefined,
      timeoutMs: 300_000,
      suspend: undefined,
      secrets: expect.any(Function),
    });
  });

  it("takes a copy of the key, which its owner may wipe", () => {
    const own = Uint8Array.from(key);
    const { suspend } = readApprovalOptions({ suspend: { key: own } });
    own.fill(0);
    expect(suspend).toEqual({ keys: [key], ttlMs: 86_400_000 });
  });

  const wrong: readonly (readonly [unknown, string])[] = [
    [{ modes: "all" }, 'approval has no option "modes"'],
    [{ handler: "ask" }, "approval.handler must be a function"],
    [{ timeoutMs: 0 }, "approval.timeoutMs must be"],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, "approval.timeoutMs must be"],
    [{ suspend: {} }, "approval.suspend.key must be"],
    [{ suspend: { key: [] } }, "approval.suspend.key is an empty list"],
    [{ suspend: { key: "a".repeat(32) } }, "approval.suspend.key must be"],
    [{ suspend: { key: key.slice(1) } }, "approval.suspend.key must be a Uint8Array of 32 bytes or more"],
    [{ suspend: { key, ttlMs: 31 * 86_400_000 } }, "approval.suspend.ttlMs must be"],
    [{ suspend: { key, ttl: 5 } }, 'approval.suspend has no option "ttl"'],
  ];
  it.each(wrong)("throws a TypeError that names the option: %j", (options, message) => {
    expect(() => readApprovalOptions(options as ApprovalOptions)).toThrow(TypeError);
    expect(() => readApprovalOptions(options as ApprovalOptions)).toThrow(message);
  });
});
