import { describe, expect, it } from "vitest";
import { redactSpec, redactUrl, createRedactor } from "./redaction.ts";
import type { HttpEntry, ServerSpec, StdioEntry } from "./server-spec.ts";

const stdio = (transport: Partial<StdioEntry>): ServerSpec => ({
  id: "s",
  type: "stdio",
  command: "npx",
  ...transport,
});
const http = (transport: Partial<HttpEntry>): ServerSpec => ({
  id: "s",
  type: "http",
  url: "https://example.com/mcp",
  ...transport,
});

// Where a secret may stand in a spec. `hunter2` is the secret; both functions below must find it in
// every one.
const hidden: readonly (readonly [string, ServerSpec])[] = [
  ["a variable", stdio({ env: { GITHUB_TOKEN: "hunter2" } })],
  ["a URL in a variable", stdio({ env: { DATABASE_URL: "postgres://me:hunter2@localhost/db" } })],
  ["an argument behind a flag", stdio({ args: ["--api-key", "hunter2"] })],
  ["a flag with its value", stdio({ args: ["--access-token=hunter2"] })],
  ["a flag in camel case", stdio({ args: ["--apiKey=hunter2"] })],
  ["a variable in the arguments", stdio({ args: ["run", "-e", "GITHUB_PAT=hunter2", "image"] })],
  ["a header in the arguments", stdio({ args: ["--header", "Authorization: Bearer hunter2"] })],
  ["a password in a URL in the arguments", stdio({ args: ["postgres://me:hunter2@localhost/db"] })],
  ["a query value in a URL in the arguments", stdio({ args: ["https://example.com/mcp?key=hunter2"] })],
  ["a header", http({ headers: { "x-api-key": "hunter2" } })],
  ["a header with a scheme", http({ headers: { authorization: "Bearer hunter2" } })],
  ["a cookie among others", http({ headers: { cookie: "theme=dark; session=hunter2" } })],
  ["the bearer token", http({ bearerToken: " hunter2\n" })],
  ["a query value of the URL", http({ url: "https://example.com/mcp?key=hunter2&b=1" })],
];

describe("createRedactor()", () => {
  it.each(hidden)("masks %s, wherever the server echoes it", (_, spec) => {
    const redact = createRedactor(spec);
    expect(redact("refused: hunter2, or Bearer hunter2! (hunter2)")).not.toContain("hunter2");
    expect(redact("refused: hunter2")).toBe("refused: [redacted]");
  });

  it("masks a query value as it is written and as it is meant", () => {
    const redact = createRedactor(http({ url: "https://example.com/?key=a%2Fb%2Fc%2Fd" }));
    expect(redact("a%2Fb%2Fc%2Fd and a/b/c/d")).toBe("[redacted] and [redacted]");
  });

  it("masks each line of a secret that has several, because logs are read line by line", () => {
    const key = "-----BEGIN KEY-----\nhunter2a\nhunter2b\n-----END KEY-----\n";
    const redact = createRedactor(stdio({ env: { PRIVATE_KEY: key } }));
    expect(redact(`cannot read ${key}`)).toBe("cannot read [redacted]\n");
    expect(redact("bad line: hunter2b")).toBe("bad line: [redacted]");
  });

  it("masks a secret as JSON writes it", () => {
    const secret = 'hunter"2\\\n3';
    const redact = createRedactor(stdio({ env: { TOKEN: secret } }));
    expect(redact(JSON.stringify({ token: secret }))).toBe('{"token":"[redacted]"}');
  });

  it("masks a secret that contains another one as a whole", () => {
    const redact = createRedactor(stdio({ env: { A: "hunter2", B: "hunter2-hunter3" } }));
    expect(redact("hunter2-hunter3 hunter2")).toBe("[redacted] [redacted]");
  });

  it("takes secrets literally, not as patterns", () => {
    const redact = createRedactor(stdio({ env: { A: "$&.*+?^()", B: "aaa$&aaa" } }));
    expect(redact("x $&.*+?^() y aaa$&aaa z")).toBe("x [redacted] y [redacted] z");
  });

  it("leaves short settings alone, which are no secrets and would garble every message", () => {
    const text = "listening on port 8080 in prod mode, debug 1";
    expect(createRedactor(stdio({ env: { PORT: "8080", MODE: "prod", DEBUG: "1" } }))(text)).toBe(text);
  });

  it("leaves texts alone when there is nothing to hide", () => {
    const text = "npx -y @scope/server failed";
    expect(createRedactor(stdio({ args: ["-y", "@scope/server", "--verbose", "--port=123456"] }))(text)).toBe(text);
    expect(createRedactor({ id: "s", type: "memory", serve: () => undefined })(text)).toBe(text);
  });
});

describe("redactSpec()", () => {
  it.each(hidden)("leaves no secret when it stands in %s", (_, spec) => {
    expect(JSON.stringify(redactSpec(spec))).not.toContain("hunter2");
    expect(JSON.stringify(spec)).toContain("hunter2");
  });

  it("keeps names and everything that is no secret", () => {
    const spec = stdio({
      args: [
        "-y",
        "mcp-remote",
        "https://example.com/mcp",
        "--header",
        "X-Key: hunter2",
        "--token=hunter2",
        "--port=80",
      ],
      env: { TOKEN: "hunter2" },
      cwd: "/srv",
    });
    expect(redactSpec({ ...spec, title: "Server" })).toEqual({
      id: "s",
      title: "Server",
      type: "stdio",
      command: "npx",
      args: [
        "-y",
        "mcp-remote",
        "https://example.com/mcp",
        "--header",
        "X-Key: [redacted]",
        "--token=[redacted]",
        "--port=80",
      ],
      env: { TOKEN: "[redacted]" },
      cwd: "/srv",
    });
  });

  it("masks headers, tokens and query values of a URL", () => {
    const spec = http({ url: "https://example.com/mcp?key=x", headers: { a: "b" }, bearerToken: "x", mode: "sse" });
    expect(redactSpec(spec)).toEqual({
      id: "s",
      type: "http",
      url: "https://example.com/mcp?key=***",
      headers: { a: "[redacted]" },
      bearerToken: "[redacted]",
      mode: "sse",
    });
  });

  it("adds no field that was not there, and leaves other kinds as they are", () => {
    expect(redactSpec(stdio({}))).toEqual(stdio({}));
    expect(redactSpec(http({}))).toEqual(http({}));
    const custom: ServerSpec = { id: "s", type: "custom", open: () => undefined };
    expect(redactSpec(custom)).toBe(custom);
  });

  it("keeps a name of a header or variable that every object has", () => {
    const env = JSON.parse('{"__proto__":"hunter2"}');
    expect(JSON.stringify(redactSpec(stdio({ env })))).toContain('"__proto__":"[redacted]"');
  });
});

describe("redactUrl()", () => {
  it.each([
    ["https://example.com/mcp", "https://example.com/mcp"],
    ["https://example.com:8443/a/b", "https://example.com:8443/a/b"],
    ["http://[::1]:80/", "http://[::1]/"],
    ["https://me@example.com/", "https://***@example.com/"],
    ["https://me:hunter2@example.com/", "https://***@example.com/"],
    ["https://:hunter2@example.com/", "https://***@example.com/"],
    ["https://example.com/?a=hunter2&b=hunter2&a=x", "https://example.com/?a=***&b=***&a=***"],
    ["https://example.com/?hunter%20=1", "https://example.com/?hunter%20=***"],
    ["https://example.com/#access_token=hunter2", "https://example.com/"],
    ["postgres://me:hunter2@localhost/db", "postgres://***@localhost/db"],
    ["not a url hunter2", "[redacted]"],
    ["", "[redacted]"],
  ])("turns %s into %s", (url, safe) => {
    expect(redactUrl(url)).toBe(safe);
  });
});
