import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { SuspendedCall } from "./suspended-call.ts";
import {
  errorCodes,
  type HostsideErrorCode,
  isHostsideError,
  HostsideError,
  withErrorContext,
  type HostsideErrorInit,
} from "./hostside-error.ts";
import type * as hostsideError from "./hostside-error.ts";

// What a foreign error may carry: Node puts all arguments of a command on the error of a failed
// spawn, servers echo what they refuse.
const foreign = Object.assign(new TypeError("refused: hunter2\n  hunter2"), {
  code: "ENOENT",
  spawnargs: ["--api-key", "hunter2"],
});

const suspended: SuspendedCall = {
  id: "1",
  serverId: "s",
  registration: null,
  toolName: "t",
  localName: "mcp_s_t",
  fingerprint: "sha256-00",
  definition: null,
  effect: "external",
  args: {},
  hint: "Approve?",
  why: "it is to be approved",
  context: {},
  suspendedAt: 1,
  expiresAt: 2,
  seal: "00",
};

describe("HostsideError", () => {
  it.each(Object.entries(errorCodes))("takes kind, retryable and outcome of %s from its entry", (code, entry) => {
    const error = new HostsideError("what failed", { code: code as HostsideErrorCode });
    expect(error).toMatchObject({
      code,
      kind: entry.kind,
      retryable: entry.retryable && entry.outcome !== "unknown",
      outcome: entry.outcome,
      details: {},
    });
    expect(error.message).toBe(`[${code}] what failed`);
    expect(error.rawMessage).toBe("what failed");
    expect(error.name).toBe("HostsideError");
  });

  it("states its own retryable and outcome where it knows better", () => {
    const error = new HostsideError("x", { code: "server_exited", retryable: false, outcome: "not-sent" });
    expect(error).toMatchObject({ retryable: false, outcome: "not-sent" });
  });

  it.each(Object.keys(errorCodes))("never calls %s retryable while the call may have run", (code) => {
    const init = { code: code as HostsideErrorCode, outcome: "unknown", retryable: true } as const;
    expect(new HostsideError("x", init).retryable).toBe(false);
    expect(
      withErrorContext(new HostsideError("x", { ...init, outcome: "not-sent" }), { outcome: "unknown" }),
    ).toMatchObject({ retryable: false, outcome: "unknown" });
  });

  it("is as retryable as its code once it knows that the call did not run", () => {
    const late = new HostsideError("x", { code: "call_timeout" });
    expect(late).toMatchObject({ retryable: false, outcome: "unknown" });
    expect(withErrorContext(late, { outcome: "not-sent" })).toMatchObject({ retryable: true, outcome: "not-sent" });
    const refused = new HostsideError("x", { code: "http_error", outcome: "failed", retryable: false });
    expect(withErrorContext(refused, { serverId: "a" })).toMatchObject({ retryable: false, outcome: "failed" });
  });

  it("has a cause only when there is one", () => {
    expect(new HostsideError("x", { code: "closed", cause: foreign }).cause).toBe(foreign);
    expect(Object.hasOwn(new HostsideError("x", { code: "closed", cause: undefined }), "cause")).toBe(false);
    expect(new HostsideError("x", { code: "closed", cause: null }).cause).toBeNull();
  });

  it("takes a code that this copy does not know from an error of another copy, as a defect", async () => {
    const { HostsideError: Newer } = await loadCopy();
    for (const code of ["code_of_tomorrow", "constructor"]) {
      const newer = Object.assign(new Newer("x", { code: "closed" }), { code });
      const expected = { code, kind: "system", retryable: false, outcome: "unknown" };
      const copy = withErrorContext(newer, { outcome: "unknown", cause: foreign });
      expect(copy).toMatchObject(expected);
      expect(copy.cause).toBe(foreign);
      expect(new HostsideError("x", { code: code as HostsideErrorCode, cause: newer })).toMatchObject(expected);
    }
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["nothing", undefined, "what it is made from must be an object with a code, not undefined"],
    ["a code alone", "closed", "what it is made from must be an object with a code, not a string"],
    ["a Map", new Map([["code", "closed"]]), "what it is made from must be an object with a code, not a Map"],
    ["no code", {}, "code must be one of those in errorCodes, not undefined"],
    ["an unknown code", { code: "refused" }, 'code must be one of those in errorCodes, not "refused"'],
    ["a code of every object", { code: "constructor" }, "code must be one of those"],
    ["a code in a list", { code: ["closed"] }, "code must be one of those in errorCodes, not an array"],
    ["an unknown code of its cause", { code: "refused", cause: { code: "refused" } }, "code must be one of those"],
    ["an unknown outcome", { code: "closed", outcome: "sent" }, 'outcome must be "not-sent", "unknown" or "failed"'],
    ["retryable as a text", { code: "closed", retryable: "no" }, "retryable must be true or false"],
    ["details as a text", { code: "closed", details: "because" }, "details must be an object, not a string"],
    ["a server in place of its id", { code: "closed", serverId: { id: "a" } }, "serverId must be a string"],
    ["a tool in place of its name", { code: "closed", toolName: { name: "t" } }, "toolName must be a string"],
  ];
  it.each(wrong)("is not made from %s: a TypeError names the member", (_, init, message) => {
    // What a caller without types hands over.
    const make = (): HostsideError => new HostsideError("x", init as HostsideErrorInit);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`new HostsideError(): ${message}`);
  });

  it("turns into JSON without stack and cause", () => {
    const error = new HostsideError("x failed", {
      code: "spawn_failed",
      serverId: "a",
      details: { stderrTail: "line", exitCode: null },
      cause: foreign,
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "HostsideError",
      code: "spawn_failed",
      kind: "execution",
      serverId: "a",
      retryable: false,
      outcome: "not-sent",
      message: "[spawn_failed] x failed",
      details: { stderrTail: "line", exitCode: null },
    });
  });

  it("turns into JSON with the failures inside it", () => {
    const failures = [new HostsideError("y", { code: "unreachable", serverId: "a", cause: foreign })];
    const text = JSON.stringify(new HostsideError("x", { code: "refresh_failed", details: { failures } }));
    expect(JSON.parse(text).details.failures[0]).toMatchObject({ code: "unreachable", serverId: "a" });
    expect(text).not.toContain("hunter2");
  });

  it("shows of a suspended call what it is found by, and not its arguments", () => {
    const approval = { ...suspended, args: { text: "hunter2" }, context: { principal: "hunter2" } };
    const error = new HostsideError("x", {
      code: "approval_required",
      details: { approval, policy: "requireApproval[0]" },
    });
    const { details } = JSON.parse(JSON.stringify(error));
    expect(details).toEqual({ approval: { id: "1", expiresAt: 2 }, policy: "requireApproval[0]" });
    expect(inspect(error)).toContain("expiresAt: 2");
    expect(inspect(error)).not.toContain("hunter2");
    expect(error.details.approval).toBe(approval);
  });
});

describe("util.inspect() of a HostsideError", () => {
  it("shows message, stack and members, and where the causes come from", () => {
    const cause = new HostsideError("inner", { code: "unreachable", cause: foreign });
    const error = new HostsideError("x failed", {
      code: "spawn_failed",
      serverId: "a",
      details: { timeoutMs: 5 },
      cause,
    });
    const text = inspect(error);
    expect(text).toMatch(/^HostsideError: \[spawn_failed\] x failed\n\s+at /);
    expect(text).toContain("code: 'spawn_failed'");
    expect(text).toContain("serverId: 'a'");
    expect(text).toContain("timeoutMs: 5");
    expect(text).toContain("[cause]: HostsideError: [unreachable] inner\n");
    expect(text).toMatch(/\n {2}\[cause\]: TypeError \(ENOENT\)\n {6}at /);
    expect(text).not.toContain("toolName");
  });

  it("never shows what a cause carries, at any depth", () => {
    const cause = new HostsideError("inner", { code: "unreachable", cause: foreign });
    const failures = [new HostsideError("one", { code: "spawn_failed", cause })];
    const error = new HostsideError("x", { code: "refresh_failed", cause, details: { failures } });
    for (const value of [error, [error], { error }, new Map([["a", { deep: { error } }]])]) {
      expect(inspect(value, { depth: 20, showHidden: true })).not.toContain("hunter2");
    }
    for (const cause of [{ token: "hunter2" }, "hunter2"]) {
      expect(inspect(new HostsideError("x", { code: "closed", cause }))).not.toContain("hunter2");
    }
  });

  it("ends when causes loop", () => {
    const a = new Error("a");
    const b = new Error("b", { cause: a });
    a.cause = b;
    expect(inspect(new HostsideError("x", { code: "closed", cause: a }))).toContain("[cause]: Error\n");
  });
});

describe("isHostsideError()", () => {
  it("knows its own kind, by code if asked", () => {
    const error: unknown = new HostsideError("x", { code: "aborted" });
    expect(isHostsideError(error)).toBe(true);
    expect(isHostsideError(error, "aborted")).toBe(true);
    expect(isHostsideError(error, "closed")).toBe(false);
  });

  it("is also true for an error of another copy of this package, where instanceof is not", async () => {
    const copy = await loadCopy();
    const error: unknown = new copy.HostsideError("x", { code: "aborted" });
    expect(error instanceof HostsideError).toBe(false);
    expect(isHostsideError(error, "aborted")).toBe(true);
    expect(copy.isHostsideError(new HostsideError("x", { code: "closed" }), "closed")).toBe(true);
  });

  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", "[aborted] x"],
    ["an error", new Error("[aborted] x")],
    ["a look-alike", { name: "HostsideError", code: "aborted", message: "x", [Symbol.for("hostside.error")]: true }],
    ["the JSON of one", new HostsideError("x", { code: "aborted" }).toJSON()],
  ])("is false for %s", (_, value) => {
    expect(isHostsideError(value)).toBe(false);
  });
});

describe("withErrorContext()", () => {
  it("adds what is known now, keeps the rest, and has the original as its cause", () => {
    const original = new HostsideError("x", {
      code: "connection_closed",
      details: { operation: "tools/call" },
    });
    const known = withErrorContext(original, {
      serverId: "a",
      toolName: "t",
      outcome: "not-sent",
      details: { timeoutMs: 5 },
    });
    expect(known).toMatchObject({
      code: "connection_closed",
      message: original.message,
      serverId: "a",
      toolName: "t",
      retryable: true,
      outcome: "not-sent",
      details: { operation: "tools/call", timeoutMs: 5 },
    });
    expect(known.cause).toBe(original);
    expect(original.serverId).toBeUndefined();
  });
});

// The query makes it another module, as a second installed copy would be; it also keeps the
// compiler from finding the type.
async function loadCopy(): Promise<typeof hostsideError> {
  const copy: string = "./hostside-error.ts?copy";
  return (await import(copy)) as typeof hostsideError;
}
