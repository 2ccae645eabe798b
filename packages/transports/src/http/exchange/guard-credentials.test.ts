import { isHostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { guardCredentials } from "./request-headers.ts";

function refused(url: string, headers: Record<string, string>): string | undefined {
  try {
    guardCredentials({ url: new URL(url), headers }, "web");
    return undefined;
  } catch (error) {
    if (!isHostsideError(error, "invalid_spec") || error.message.includes("s3cret")) throw error;
    return error.details.field;
  }
}

describe("guardCredentials()", () => {
  it.each(
    [
      "authorization cookie proxy-authorization x-api-key x-auth-token api-key apikey x-goog-api-key private-token x-access-token",
      "x-vault-token x-amz-security-token x_api_key ocp-apim-subscription-key x-functions-key x-accesstoken cf-access-client-secret",
      "x-plex-token dd-application-key x-user-password x-jwt authentication x-service-credentials x-hub-signature",
    ].flatMap((row) => row.split(" ")),
  )("lets %s go over https: and loopback only", (name) => {
    const headers = { accept: "x", [name]: "s3cret" };
    expect(refused("https://example.com", headers)).toBeUndefined();
    expect(refused("http://localhost:1", headers)).toBeUndefined();
    expect(refused("http://[::1]:1", headers)).toBeUndefined();
    expect(refused("http://example.com", headers)).toBe(`headers.${name}`);
    expect(refused("http://localhost.evil.com", headers)).toBe(`headers.${name}`);
  });

  it("lets requests without credentials go anywhere", () => {
    const headers = {
      accept: "x",
      "x-team": "a",
      "mcp-session-id": "1",
      "mcp-param-token": "b",
      "idempotency-key": "c",
    };
    const alike = {
      "x-monkey": "e",
      "x-hotkeys": "f",
      traceparent: "g",
      "x-spin": "h",
      "x-tokenizer": "i",
    };
    expect(refused("http://example.com", { ...headers, ...alike })).toBeUndefined();
  });
});
