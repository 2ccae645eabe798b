import { errorCodes, HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { exitCodeOf, exitCodes, usageError } from "../../src/cli/exit-codes.ts";
import { renderError, reportError } from "../../src/cli/program/render-error.ts";
import { fakeTerminal } from "../fake-terminal.ts";

const dead = new HostsideError("server files: its process ended", {
  code: "server_exited",
  serverId: "my files",
  details: { exitCode: 1, stderrTail: "\u001B[31mno such folder\u001B[0m\nbye\n" },
});

function rendered(error: unknown, options: { readonly json?: true; readonly verbose?: true } = {}) {
  using terminal = fakeTerminal();
  renderError(error, { terminal, options });
  return { ...terminal.written };
}

describe("renderError()", () => {
  it("says what failed, with its code, what the server wrote last, and the command that mends it", () => {
    expect(rendered(dead)).toEqual({
      out: "",
      err: [
        "error: server files: its process ended [server_exited]",
        "  | no such folder",
        "  | bye",
        "hint: hostside doctor 'my files' looks into it",
        "",
      ].join("\n"),
    });
  });

  it("gives everything but texts for people as one JSON document on stdout", () => {
    const { out, err } = rendered(dead, { json: true });
    expect(err).toBe("");
    expect(JSON.parse(out)).toEqual({
      error: {
        code: "server_exited",
        kind: "execution",
        message: "server files: its process ended",
        serverId: "my files",
        outcome: "unknown",
        retryable: false,
        hint: "hostside doctor 'my files' looks into it",
        details: dead.details,
      },
    });
  });

  it("lists what is wrong with arguments, and each server of several", () => {
    const wrong = new HostsideError("the arguments are wrong", {
      code: "invalid_arguments",
      toolName: "read file",
      details: { violations: [{ path: "/path", message: "is missing" }] },
    });
    expect(rendered(wrong).err).toMatch(/^ {2}\/path: is missing\nhint: hostside show 'read file' /m);
    const several = new HostsideError("2 servers failed", { code: "refresh_failed", details: { failures: [dead] } });
    expect(rendered(several).err).toContain("  my files: server files: its process ended [server_exited]\n");
  });

  it("shows no escape sequence of a server, and no stack unless it is wanted", () => {
    const hostile = new HostsideError("it said \u001B]0;mine\u0007 and \u001B[2J", { code: "protocol_error" });
    expect(rendered(hostile).err).not.toContain("\u001B");
    expect(rendered(hostile).err).not.toMatch(/^\s+at /m);
    expect(rendered(hostile, { verbose: true }).err).toMatch(/^\s+at /m);
  });

  it("says so when it is a bug, and takes no system error for one", () => {
    expect(rendered(new TypeError("x is undefined")).err).toMatch(/^bug: x is undefined\nhint: .*--verbose.*issues$/m);
    const denied = Object.assign(new Error("EACCES: no"), { code: "EACCES", syscall: "open" });
    expect(rendered(denied).err).toBe("error: EACCES: no\n");
    expect(reportError("a text")).toMatchObject({ code: "bug", message: "a text" });
  });

  it("shows the hint of wrong use", () => {
    expect(rendered(usageError("no", "hostside yes")).err).toBe("error: no\nhint: hostside yes\n");
  });
});

describe("exitCodeOf()", () => {
  it.for([
    { code: "auth_required", exit: exitCodes.authRequired },
    { code: "invalid_config", exit: exitCodes.usage },
    { code: "unknown_tool", exit: exitCodes.usage },
    { code: "approval_required", exit: exitCodes.usage },
    { code: "connect_timeout", exit: exitCodes.unreachable },
    { code: "spawn_failed", exit: exitCodes.unreachable },
    { code: "aborted", exit: exitCodes.incomplete },
    { code: "call_timeout", exit: exitCodes.fail },
  ] as const)("is $exit for $code", ({ code, exit }) => {
    expect(exitCodeOf(new HostsideError("", { code }))).toBe(exit);
  });

  it("is one of the table for every code that there is, and 1 for a bug", () => {
    for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
      expect(Object.values(exitCodes).slice(1)).toContain(exitCodeOf(new HostsideError("", { code })));
    }
    expect(exitCodeOf(new TypeError("x"))).toBe(exitCodes.fail);
    expect(exitCodeOf(usageError("x"))).toBe(exitCodes.usage);
  });
});
