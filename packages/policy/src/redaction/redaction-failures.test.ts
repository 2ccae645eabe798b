import { inspect } from "node:util";
import { HostsideError, type Progress } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createRedactionWorld, github, shownOf, textOf } from "../../test/redaction-world.ts";
import { outcomeOf, stageCall, stageParts } from "../../test/still-parts.ts";
import { createRedaction } from "./create-redaction.ts";
import type { RedactionOptions } from "./create-redaction.ts";

describe("errors", () => {
  it("keep code, outcome and what to do, and lose secrets in message, details, stack and causes", async () => {
    const { fail } = createRedactionWorld();
    const foreign = Object.assign(
      new Error(`no ${github}`, { cause: new HostsideError(`in ${github}`, { code: "internal_error" }) }),
      { body: github },
    );
    const error = new HostsideError(`said ${github}`, {
      code: "server_error",
      serverId: "s",
      toolName: "t",
      outcome: "failed",
      retryable: true,
      details: {
        rpcCode: -1,
        rpcData: { password: "hunter2" },
        stderrTail: github,
        excerpt: github,
        challenge: github,
        failures: [new HostsideError(github, { code: "internal_error" })],
      },
      cause: foreign,
    });
    const thrown = await fail(error);
    expect(thrown).toMatchObject({
      code: "server_error",
      outcome: "failed",
      retryable: true,
      serverId: "s",
      toolName: "t",
    });
    expect(thrown.details.rpcCode).toBe(-1);
    for (const shown of [
      shownOf(thrown),
      inspect(thrown),
      String(thrown.stack),
      shownOf(thrown.cause),
      shownOf(thrown.details.failures),
    ]) {
      expect(shown).not.toContain(github);
      expect(shown).not.toContain("hunter2");
    }
  });

  it("are passed on as they are when they have none", async () => {
    const { fail } = createRedactionWorld();
    const error = new HostsideError("no", {
      code: "call_timeout",
      details: { timeoutMs: 1 },
      cause: new Error("late"),
    });
    expect(await fail(error)).toBe(error);
  });

  it("keep a suspended call as it was sealed", async () => {
    const { fail } = createRedactionWorld();
    const approval = { id: "1", args: { password: "hunter2" }, seal: "x" } as unknown as NonNullable<
      HostsideError["details"]["approval"]
    >;
    const error = new HostsideError(`password=abc1`, { code: "approval_required", details: { approval } });
    const thrown = await fail(error);
    expect(thrown).not.toBe(error);
    expect(thrown.details.approval).toBe(approval);
  });
});

describe("a part of the product that fails", () => {
  const broken = (): never => {
    throw new Error("vault is down");
  };
  it.each<[string, RedactionOptions]>([
    ["values()", { values: broken }],
    ["values() that answers rubbish", { values: () => [1] as unknown as string[] }],
  ])("%s has results, errors and progress withheld, with an event", async (_, options) => {
    const { parts, send, fail, redaction } = createRedactionWorld(options);
    const outcome = await send({
      content: textOf("hunter2"),
      structuredContent: { a: "hunter2" },
      meta: { b: "hunter2" },
    });
    expect(shownOf(outcome)).not.toContain("hunter2");
    expect(outcome).toMatchObject({
      isError: false,
      content: [{ type: "text", text: expect.stringMatching(/^The tool ran\. Its result is withheld/) }],
    });
    const thrown = await fail(
      new HostsideError("hunter2", {
        code: "server_error",
        outcome: "failed",
        details: { httpStatus: 500, rpcData: "hunter2" },
        cause: new Error("hunter2"),
      }),
    );
    expect(shownOf(thrown)).not.toContain("hunter2");
    expect(thrown).toMatchObject({ code: "server_error", outcome: "failed" });
    const seen: Progress[] = [];
    await redaction.interceptor(
      stageCall({ options: { onProgress: (progress) => void seen.push(progress) } }),
      async (call) => {
        call.options.onProgress?.({ progress: 1, message: "hunter2" });
        return outcomeOf();
      },
    );
    expect(seen).toMatchObject([{ progress: 1 }]);
    expect(shownOf(seen)).not.toContain("hunter2");
    expect(redaction.redactText("hunter2")).toContain("withheld");
    expect(parts.events.filter((event) => event.type === "part-failed" && event.part === "redact")).toHaveLength(5);
  });
});

describe("what classes of errors have", () => {
  class Answered extends Error {
    readonly #body: string;
    constructor(body: string) {
      super("no");
      this.#body = body;
    }
    get body(): string {
      return this.#body;
    }
    override toString(): string {
      return "Answered";
    }
  }
  class Refused extends Answered {}

  it("is looked at as their own members are: a getter with a secret is not handed on", async () => {
    const { fail } = createRedactionWorld();
    const thrown: unknown = await fail(new Refused(`no ${github}`));
    expect(Reflect.get(Object(thrown), "body")).toBeUndefined();
    expect(shownOf(thrown)).not.toContain(github);
    const wrapped = await fail(new HostsideError("x", { code: "internal_error", cause: new Refused(github) }));
    expect(Reflect.get(Object(wrapped.cause), "body")).toBeUndefined();
  });

  it("leaves errors as they are whose getters are clean", async () => {
    const { fail } = createRedactionWorld();
    for (const clean of [new Refused("nothing"), new DOMException("gone", "AbortError")]) {
      expect(await fail(clean)).toBe(clean);
    }
  });
});

describe("values that a function answers", () => {
  it("are not looked for when they are too short", async () => {
    const { send } = createRedactionWorld({ values: () => ["abc", "", "long-enough"] });
    const outcome = await send({ content: textOf("abc long-enough") });
    expect(shownOf(outcome)).toContain("abc");
    expect(shownOf(outcome)).not.toContain("long-enough");
  });
});

describe("options", () => {
  it.each<[string, unknown, string]>([
    ["an unknown one", { key: undefined, patterns: [] }, "patterns"],
    ["a key that is no text", { keys: [1] }, "redact.keys"],
    ["a key of nothing", { keys: ["a", "--"] }, "redact.keys[1]"],
    ["values of another type", { values: "abc" }, "redact.values"],
    ["a value that would be found everywhere", { values: ["abcdef", "abc"] }, "redact.values[1]"],
    ["a short key", { key: new Uint8Array(8) }, "redact.key"],
  ])("refuses %s", (_, options, place) => {
    expect(() => createRedaction(options as RedactionOptions, stageParts())).toThrow(place);
  });
});
