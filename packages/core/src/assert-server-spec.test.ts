import { describe, expect, it } from "vitest";
import { assertServerSpec, specError } from "./assert-server-spec.ts";
import { defaultLimits, defaultTimeouts } from "./limits.ts";
import type { ServerSpec } from "./server-spec.ts";

const stdio = { type: "stdio", command: "server" } as const;
const http = { type: "http", url: "https://example.com/mcp" } as const;

const good: readonly (readonly [string, ServerSpec])[] = [
  ["stdio, the least", { id: "a", transport: stdio }],
  [
    "stdio, everything",
    { id: "a", transport: { ...stdio, args: ["-y"], env: { A: "" }, inheritEnv: "none", cwd: "/srv" } },
  ],
  ["http, the least", { id: "a", transport: http }],
  ["http, everything", { id: "a", transport: { ...http, headers: { a: "b" }, bearerToken: "", mode: "sse" } }],
  ["http with OAuth", { id: "a", transport: { ...http, auth: "oauth" } }],
  ["http with keys of the host", { id: "a", transport: { ...http, auth: "api-key" } }],
  ["memory", { id: "a", transport: { type: "memory", serve: () => undefined } }],
  ["custom", { id: "a", transport: { type: "custom", open: () => undefined } }],
  [
    "every other field",
    {
      id: " a\n",
      transport: stdio,
      title: "",
      era: "2026-07-28",
      allow: [],
      deny: ["x"],
      disabled: true,
      required: true,
      startup: "init",
      elicitation: false,
      concurrency: "serial",
      tools: {
        ["__proto__"]: { effect: "pure" },
        x: { requireApproval: true, title: "", description: "" },
        y: {},
      },
      labels: { scope: "project", trust: "" },
      trustAnnotations: true,
      timeouts: { ...defaultTimeouts, callIdleMs: 0.5 },
      limits: defaultLimits,
    },
  ],
  ["an id that every object has a member of", { id: "__proto__", transport: stdio }],
];

const bad: readonly (readonly [what: string, spec: unknown, field: string, rule: string])[] = [
  ["no object", null, "", "must be an object"],
  ["an array", [], "", "must be an object"],
  ["a string", "npx server", "", "must be an object"],
  ["no id", { transport: stdio }, "id", "must be a string"],
  ["an id that is no string", { id: { toString: null }, transport: stdio }, "id", "must be a string"],
  ["a blank id", { id: " \t", transport: stdio }, "id", "must not be blank"],
  [
    "a start at no known time",
    { id: "a", transport: stdio, startup: "lazy" },
    "startup",
    'must be one of "init", "back',
  ],
  [
    "a required server that nobody waits for",
    { id: "a", transport: stdio, required: true, startup: "background" },
    "startup",
    'must be "init" for a server that is required',
  ],
  ["elicitation as a text", { id: "a", transport: stdio, elicitation: "no" }, "elicitation", "must be a boolean"],
  [
    "an unknown field",
    { id: "a", transport: stdio, excluded: ["x"] },
    "excluded",
    "is unknown; known are id, transport, ",
  ],
  [
    "a command beside the id, as other products have it",
    { id: "a", type: "stdio", command: "npx", args: ["-y", "server"], env: { A: "b" } },
    "command",
    'belongs in transport: { type: "stdio", command, args, env }',
  ],
  [
    "a URL beside a transport that is a text",
    { id: "a", transport: "http", headers: { a: "b" }, url: "https://example.com" },
    "headers",
    'belongs in transport: { type: "http", headers, url }',
  ],
  [
    "an argument beside the transport",
    { id: "a", transport: stdio, args: ["-y"] },
    "args",
    'belongs in transport: { type: "stdio", args }',
  ],
  [
    "a serve function beside the id",
    { id: "a", serve: () => undefined },
    "serve",
    'belongs in transport: { type: "memory", serve }',
  ],
  [
    "a type beside the id, and nothing else of a transport",
    { id: "a", type: "stdio" },
    "type",
    "is unknown; known are id, transport, ",
  ],
  ["a title that is no string", { id: "a", transport: stdio, title: 1 }, "title", "must be a string"],
  [
    "an unknown era",
    { id: "a", transport: stdio, era: "modern" },
    "era",
    'must be one of "auto", "legacy", "2026-07-28"',
  ],
  ["an unknown concurrency", { id: "a", transport: stdio, concurrency: 2 }, "concurrency", "must be one of "],
  ["disabled as a text", { id: "a", transport: stdio, disabled: "no" }, "disabled", "must be a boolean"],
  ["required as a number", { id: "a", transport: stdio, required: 1 }, "required", "must be a boolean"],
  ["allow as a text", { id: "a", transport: stdio, allow: "x" }, "allow", "must be an array of strings"],
  ["deny with a number", { id: "a", transport: stdio, deny: ["x", 1] }, "deny", "must be an array of strings"],
  ["tools as a list", { id: "a", transport: stdio, tools: ["x"] }, "tools", "must be an object of objects"],
  ["tools in a Map", { id: "a", transport: stdio, tools: new Map() }, "tools", "must be an object of objects"],
  [
    "an effect in place of a tool",
    { id: "a", transport: stdio, tools: { x: "pure" } },
    'tools["x"]',
    "must be an object",
  ],
  [
    "an unknown effect",
    { id: "a", transport: stdio, tools: { x: { effect: "read" } } },
    'tools["x"].effect',
    'must be one of "pure", "idempotent-write", "non-idempotent-write", "external"',
  ],
  [
    "a misspelt requireApproval",
    { id: "a", transport: stdio, tools: { x: { requiresApproval: true } } },
    'tools["x"].requiresApproval',
    "is unknown; known are effect, requireApproval, title, description",
  ],
  [
    "an approval that is a text",
    { id: "a", transport: stdio, tools: { x: { requireApproval: "yes" } } },
    'tools["x"].requireApproval',
    "must be a boolean",
  ],
  [
    "a description that is no text",
    { id: "a", transport: stdio, tools: { x: { description: null } } },
    'tools["x"].description',
    "must be a string",
  ],
  ["labels as a list", { id: "a", transport: stdio, labels: ["x"] }, "labels", "must be an object of strings"],
  ["a label that is a number", { id: "a", transport: stdio, labels: { x: 1 } }, "labels.x", "must be a string"],
  [
    "a label without a name",
    { id: "a", transport: stdio, labels: { " ": "x" } },
    'labels[" "]',
    "must have a name of 1 to 64 characters",
  ],
  [
    "a long label",
    { id: "a", transport: stdio, labels: { x: "y".repeat(257) } },
    'labels["x"]',
    "must have at most 256 characters",
  ],
  [
    "many labels",
    { id: "a", transport: stdio, labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`l${n}`, ""])) },
    "labels",
    "must have at most 32 labels",
  ],
  ["trust as a text", { id: "a", transport: stdio, trustAnnotations: "yes" }, "trustAnnotations", "must be a boolean"],
  ["timeouts as a number", { id: "a", transport: stdio, timeouts: 5 }, "timeouts", "must be an object, not a number"],
  [
    "timeouts in a Map",
    { id: "a", transport: stdio, timeouts: new Map([["callMs", 5]]) },
    "timeouts",
    "must be an object, not a Map",
  ],
  ["limits in a Set", { id: "a", transport: stdio, limits: new Set() }, "limits", "must be an object, not a Set"],
  [
    "an override in a Map",
    { id: "a", transport: stdio, tools: { x: new Map([["effect", "pure"]]) } },
    'tools["x"]',
    "must be an object, not a Map",
  ],
  [
    "an unknown timeout",
    { id: "a", transport: stdio, timeouts: { call: 5 } },
    "timeouts.call",
    "is unknown; known are connectMs, ",
  ],
  ...[-1, 0, Number.NaN, Number.POSITIVE_INFINITY, "5", null].map(
    (callMs) =>
      [
        `a timeout of ${String(callMs)}`,
        { id: "a", transport: stdio, timeouts: { callMs } },
        "timeouts.callMs",
        "must be a positive number of milliseconds",
      ] as const,
  ),
  [
    "an unknown limit",
    { id: "a", transport: stdio, limits: { __proto__: null, pages: 1 } },
    "limits.pages",
    "is unknown; known are ",
  ],
  ...[-1, 0, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map(
    (maxPages) =>
      [
        `a limit of ${maxPages}`,
        { id: "a", transport: stdio, limits: { maxPages } },
        "limits.maxPages",
        "must be a positive integer",
      ] as const,
  ),
  ["no transport", { id: "a" }, "transport", "must be an object with a type"],
  ["a transport that is a text", { id: "a", transport: "stdio" }, "transport", "must be an object with a type"],
  [
    "a transport without a type",
    { id: "a", transport: { command: "x" } },
    "transport.type",
    'must be "stdio", "http", "memory" or "custom"',
  ],
  [
    "a type of other products",
    { id: "a", transport: { type: "streamable-http", url: "https://example.com" } },
    "transport.type",
    'must be "stdio", "http", "memory" or "custom"; here it is "http"',
  ],
  [
    "a type that is a mode",
    { id: "a", transport: { type: "sse", url: "https://example.com" } },
    "transport.type",
    'must be "stdio", "http", "memory" or "custom"; of an old HTTP+SSE server it is "http", with mode: "sse"',
  ],
  [
    "an unknown type",
    { id: "a", transport: { type: 1n } },
    "transport.type",
    'must be "stdio", "http", "memory" or "custom"',
  ],
  ["no command", { id: "a", transport: { type: "stdio" } }, "transport.command", "must not be blank"],
  [
    "a blank command",
    { id: "a", transport: { type: "stdio", command: " " } },
    "transport.command",
    "must not be blank",
  ],
  [
    "arguments as a text",
    { id: "a", transport: { ...stdio, args: "-y x" } },
    "transport.args",
    "must be an array of strings",
  ],
  [
    "an argument that is a number",
    { id: "a", transport: { ...stdio, args: ["-p", 80] } },
    "transport.args",
    "must be an array of strings",
  ],
  [
    "env as a list",
    { id: "a", transport: { ...stdio, env: ["A=b"] } },
    "transport.env",
    "must be an object of strings",
  ],
  [
    "a variable without value",
    { id: "a", transport: { ...stdio, env: { A: undefined } } },
    "transport.env.A",
    "must be a string, and is undefined",
  ],
  [
    "variables in a Map",
    { id: "a", transport: { ...stdio, env: new Map([["A", "b"]]) } },
    "transport.env",
    "must be an object of strings",
  ],
  [
    "an unknown inheritEnv",
    { id: "a", transport: { ...stdio, inheritEnv: true } },
    "transport.inheritEnv",
    'must be one of "safe", "all", "none"',
  ],
  ["a cwd that is no string", { id: "a", transport: { ...stdio, cwd: 1 } }, "transport.cwd", "must be a string"],
  [
    "a field of another transport",
    { id: "a", transport: { ...stdio, url: "https://example.com" } },
    "transport.url",
    "is unknown; known are type, command, ",
  ],
  [
    "a URL that is no text",
    { id: "a", transport: { type: "http", url: new URL(http.url) } },
    "transport.url",
    "must be a string, not a URL",
  ],
  ["no URL", { id: "a", transport: { type: "http" } }, "transport.url", "must not be blank"],
  ["a blank URL", { id: "a", transport: { type: "http", url: "\n" } }, "transport.url", "must not be blank"],
  [
    "a misspelt header field",
    { id: "a", transport: { ...http, header: {} } },
    "transport.header",
    "is unknown; known are type, url, ",
  ],
  [
    "headers as a list",
    { id: "a", transport: { ...http, headers: [["a", "b"]] } },
    "transport.headers",
    "must be an object of strings",
  ],
  [
    "a bearer token that is no string",
    { id: "a", transport: { ...http, bearerToken: 1 } },
    "transport.bearerToken",
    "must be a string",
  ],
  [
    "an unknown auth",
    { id: "a", transport: { ...http, auth: true } },
    "transport.auth",
    'must be one of "oauth", "api-key"',
  ],
  [
    "an unknown mode",
    { id: "a", transport: { ...http, mode: "http" } },
    "transport.mode",
    'must be one of "auto", "streamable", "sse"',
  ],
  ["memory without a server", { id: "a", transport: { type: "memory" } }, "transport.serve", "must be a function"],
  [
    "custom with an object",
    { id: "a", transport: { type: "custom", open: {} } },
    "transport.open",
    "must be a function",
  ],
];

describe("assertServerSpec()", () => {
  it.each(good)("accepts %s", (_, spec) => {
    expect(() => assertServerSpec(spec)).not.toThrow();
  });

  it.each(bad)("throws invalid_spec for %s", (...[, spec, field, rule]) => {
    expect(() => assertServerSpec(spec)).toThrow(
      expect.objectContaining({
        code: "invalid_spec",
        kind: "contract",
        outcome: "not-sent",
        details: { field },
        message: expect.stringContaining(`: ${field === "" ? "the spec" : field} ${rule}`),
      }),
    );
  });

  it("names the server, and never says a value", () => {
    const secret = { nested: "hunter2" };
    const specs: readonly unknown[] = [
      { id: "my \u001B server", transport: { ...http, headers: { authorization: secret } } },
      { id: "my \u001B server", transport: { ...http, bearerToken: secret } },
      { id: "my \u001B server", transport: { ...stdio, env: { TOKEN: secret } } },
      { id: "my \u001B server", transport: { type: "hunter2" } },
    ];
    for (const spec of specs) {
      expect(() => assertServerSpec(spec)).toThrow(
        /^\[invalid_spec\] server "my \\u001b server": transport\.(?!.*hunter2)/,
      );
    }
  });
});

describe("specError()", () => {
  it("is an invalid_spec with the field as data", () => {
    const error = specError("a", "transport.url", "must be https:");
    expect(error).toMatchObject({ code: "invalid_spec", serverId: "a", details: { field: "transport.url" } });
    expect(error.message).toBe('[invalid_spec] server "a": transport.url must be https:');
  });
});
