import { isHostsideError, HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { openFailure } from "./clients.ts";

/** As another copy of core makes it: `instanceof` is false for it here. */
function errorOfAnotherCopy(): Error {
  const { message } = new HostsideError("no room", { code: "overloaded" });
  return Object.assign(new Error(message), { code: "overloaded", [Symbol.for("hostside.error")]: true });
}

describe("what a client is told when no conversation could be opened for it", () => {
  it.each([
    ["ours", new HostsideError("no room", { code: "overloaded" })],
    ["of another copy of core", errorOfAnotherCopy()],
  ])("is the message and the code of an error that is %s", (_, error) => {
    expect(isHostsideError(error)).toBe(true);
    expect(openFailure(error).failure).toMatchObject({ message: "[overloaded] no room", data: { code: "overloaded" } });
  });

  it("is nothing of any other error, which may hold what is nobody's business", () => {
    const { message, data } = openFailure(new Error("password=hunter2")).failure;
    expect(message).not.toContain("hunter2");
    expect(data).toEqual({ code: "internal_error" });
  });
});
