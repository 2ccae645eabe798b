import { HostsideError } from "@hostside/core";
import { presentError } from "@hostside/results";
import { describe, expect, it } from "vitest";

describe("presentError()", () => {
  it("says code, kind, effect and where the arguments are wrong, as JSON pointers", () => {
    const error = new HostsideError('the call of "get" is refused', {
      code: "invalid_arguments",
      serverId: "s",
      toolName: "get",
      details: { violations: [{ path: "/path/0", keyword: "type", message: "must be a string" }] },
    });
    const presented = presentError(error);
    expect(presented.blocks).toEqual([
      {
        type: "text",
        part: "error",
        text:
          '[error invalid_arguments, contract] the call of "get" is refused\n- /path/0: must be a string\n' +
          "The call did not run. Mend the arguments before you call again.",
      },
    ]);
    expect(presented).toMatchObject({
      isError: true,
      error: {
        code: "invalid_arguments",
        kind: "contract",
        message: 'the call of "get" is refused',
        retryable: false,
        outcome: "not-sent",
        violations: [{ pointer: "/path/0", message: "must be a string" }],
      },
    });
  });

  it("shows nothing of an error that is not Hostside's, unless the product has words for it", () => {
    const foreign = new Error("connect to postgres://user:hunter2@db failed");
    expect(JSON.stringify(presentError(foreign))).not.toContain("hunter2");
    expect(presentError(foreign).error).toMatchObject({ code: "internal_error", outcome: "unknown", retryable: false });
  });

  it("is authorization_required for a refused credential, and nothing else", () => {
    const error = new HostsideError("no", { code: "auth_required", serverId: "github" });
    expect(presentError(error, "envelope")).toEqual({
      error: { code: "authorization_required", server_id: "github" },
    });
  });
});
