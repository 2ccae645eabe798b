import { isHostsideError, type HttpEntry } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { checkHttpSpec } from "./check-http-spec.ts";

type Members = Omit<HttpEntry, "type">;

/** The field that is refused; `undefined` when the spec is fine. */
function refusedField(members: Members): string | undefined {
  try {
    checkHttpSpec({ id: "web", type: "http", ...members });
    return undefined;
  } catch (error) {
    if (!isHostsideError(error, "invalid_spec") || error.serverId !== "web") throw error;
    return error.details.field;
  }
}

describe("checkHttpSpec() of the URL", () => {
  it.each([
    "https://example.com/mcp",
    "http://example.com/mcp?tenant=1",
    "HTTPS://EXAMPLE.com",
    "http://[::1]:8080/mcp",
  ])("accepts %s", (url) => expect(refusedField({ url })).toBeUndefined());

  it.each([
    "",
    "example.com/mcp",
    "/mcp",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user@example.com/mcp",
    "https://user:secret@example.com/mcp",
    "http://127.0.0.1@evil.com/mcp",
    "https://example.com/mcp#fragment",
  ])("refuses %j with invalid_spec", (url) => expect(refusedField({ url })).toBe("url"));

  it("lets specs of other kinds pass", () => {
    expect(() => checkHttpSpec({ id: "local", type: "stdio", command: "x" })).not.toThrow();
  });
});

describe("checkHttpSpec() of headers", () => {
  const url = "https://example.com/mcp";

  it.each([
    "Accept",
    "mcp-session-id",
    "Last-Event-ID",
    "MCP-Protocol-Version",
    "mcp-method",
    "Mcp-Name",
    "Mcp-Param-Region",
  ])("refuses %s, which belongs to MCP", (name) =>
    expect(refusedField({ url, headers: { [name]: "x" } })).toBe(`headers.${name}`),
  );

  it.each([
    "Host",
    "content-length",
    "Content-Type",
    "connection",
    "Transfer-Encoding",
    "TE",
    "upgrade",
    "Accept-Encoding",
  ])("refuses %s, which belongs to HTTP", (name) =>
    expect(refusedField({ url, headers: { [name]: "x" } })).toBe(`headers.${name}`),
  );

  it.each(["x\r\nHost: evil", "x\nX-Evil: 1", "x\u0000", "grüezi", "\u007F", "日本"])(
    "refuses the value %j, and does not quote it",
    (value) => {
      expect(refusedField({ url, headers: { "x-team": value } })).toBe("headers.x-team");
      expect(messageOf({ url, headers: { "x-team": value } })).not.toContain(value);
    },
  );

  it.each(["", " ", "a b", "a:b", "x\r\ny", "Authorization: Bearer abcdef", "größe"])("refuses the name %j", (name) => {
    expect(refusedField({ url, headers: { [name]: "x" } })).toBe("headers");
  });

  it("does not quote an illegal name, because it may be a whole header line", () => {
    expect(messageOf({ url, headers: { "Authorization: Bearer abcdef": "" } })).not.toContain("abcdef");
  });

  it("refuses a name that is given twice in different case", () => {
    expect(refusedField({ url, headers: { "X-Team": "a", "x-team": "b" } })).toBe("headers.x-team");
  });

  it("accepts tabs, spaces, any printable ASCII, and any token as a name", () => {
    expect(refusedField({ url, headers: { "x-!#$%&'*+.^_`|~09": "\t ~!\"'(),/:;<=>?@[\\]{}" } })).toBeUndefined();
  });

  it.each(["__proto__", "constructor"])("treats a header named %s like any other", (name) => {
    expect(refusedField({ url, headers: JSON.parse(`{"${name}":"x\\n"}`) })).toBe(`headers.${name}`);
  });
});

describe("checkHttpSpec() of credentials that exclude each other", () => {
  const url = "https://example.com/mcp";

  it.each<[Members, string | undefined]>([
    [{ url, bearerToken: "t", auth: "oauth" }, "bearerToken"],
    [{ url, bearerToken: "t", headers: { Authorization: "Basic x" } }, "headers.Authorization"],
    [{ url, auth: "oauth", headers: { authorization: "Basic x" } }, "headers.authorization"],
    [{ url, bearerToken: "t\nX: 1" }, "bearerToken"],
    [{ url, bearerToken: " \t", auth: "oauth" }, undefined],
    [{ url, bearerToken: "", headers: { authorization: "Basic x" } }, undefined],
    [{ url, bearerToken: " token " }, undefined],
  ])("%j is refused at %s", (members, field) => expect(refusedField(members)).toBe(field));
});

describe("checkHttpSpec() of credentials on the way", () => {
  const urls: readonly (readonly [url: string, isConfidential: boolean])[] = [
    ["https://example.com", true],
    ["HTTPS://example.com", true],
    ["http://localhost:3000/mcp", true],
    ["http://LOCALHOST/mcp", true],
    ["http://127.0.0.1", true],
    ["http://127.8.9.10:99", true],
    ["http://127.1/", true],
    ["http://[::1]:8080/mcp", true],
    ["http://example.com", false],
    ["http://localhost.evil.com", false],
    ["http://127.0.0.1.evil.com", false],
    ["http://127.0.0.1.nip.io", false],
    ["http://evil.com/127.0.0.1", false],
    ["http://128.0.0.1", false],
    ["http://10.0.0.1", false],
    ["http://0.0.0.0", false],
    ["http://[::2]", false],
    ["http://[::ffff:127.0.0.1]", false],
    ["http://sub.localhost", false],
  ];
  const carriers: readonly (readonly [field: string, members: Partial<Members>])[] = [
    ["headers.Authorization", { headers: { Authorization: "Basic secret" } }],
    ["headers.cookie", { headers: { cookie: "secret" } }],
    ["headers.Proxy-Authorization", { headers: { "Proxy-Authorization": "secret" } }],
    ["headers.X-API-Key", { headers: { "X-API-Key": "secret" } }],
    ["headers.x-apikey", { headers: { "x-apikey": "secret" } }],
    ["headers.X-Auth-Token", { headers: { "X-Auth-Token": "secret" } }],
    ["bearerToken", { bearerToken: "secret" }],
    ["auth", { auth: "oauth" }],
  ];
  const table = urls.flatMap(([url, isConfidential]) =>
    carriers.map(([field, members]) => ({ url, field, members, expected: isConfidential ? undefined : field })),
  );

  it.each(table)("$field on $url is refused at $expected", ({ url, members, expected }) => {
    expect(refusedField({ url, ...members })).toBe(expected);
  });

  it.each(carriers)("does not quote the value of %s", (_field, members) => {
    expect(messageOf({ url: "http://example.com", ...members })).not.toContain("secret");
  });

  it.each(["x-request-id", "x-monkey", "accept-language", "idempotency-key"])(
    "does not take %s for a credential",
    (name) => expect(refusedField({ url: "http://example.com", headers: { [name]: "x" } })).toBeUndefined(),
  );
});

function messageOf(members: Members): string {
  try {
    checkHttpSpec({ id: "web", type: "http", ...members });
  } catch (error) {
    return String(error);
  }
  throw new TypeError("the spec was accepted");
}
