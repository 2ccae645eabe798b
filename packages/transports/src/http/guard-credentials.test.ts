import { isToolportError } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { guardCredentials } from "./guard-credentials.ts";

function refused(url: string, headers: Record<string, string>): string | undefined {
  try {
    guardCredentials({ url: new URL(url), headers }, "web");
    return undefined;
  } catch (error) {
    if (!isToolportError(error, "invalid_spec") || error.message.includes("s3cret")) throw error;
    return error.details.field;
  }
}

describe("guardCredentials() (AD-14)", () => {
  it.each(["authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token"])(
    "lets %s go over https: and loopback only",
    (name) => {
      const headers = { accept: "x", [name]: "s3cret" };
      expect(refused("https://example.com", headers)).toBeUndefined();
      expect(refused("http://localhost:1", headers)).toBeUndefined();
      expect(refused("http://[::1]:1", headers)).toBeUndefined();
      expect(refused("http://example.com", headers)).toBe(`transport.headers.${name}`);
      expect(refused("http://localhost.evil.com", headers)).toBe(`transport.headers.${name}`);
    },
  );

  it("lets requests without credentials go anywhere", () => {
    expect(refused("http://example.com", { accept: "x", "x-team": "a" })).toBeUndefined();
  });
});
