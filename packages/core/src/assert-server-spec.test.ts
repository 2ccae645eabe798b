import { describe, expect, it } from "vitest";
import { assertServerSpec, specError, type ServerSpec } from "./server-spec.ts";
import { defaultLimits, defaultTimeouts } from "./limits.ts";

const stdio = { type: "stdio", command: "server" } as const;
const http = { type: "http", url: "https://example.com/mcp" } as const;

const good: readonly (readonly [string, ServerSpec])[] = [
  ["stdio, the least", { id: "a", ...stdio }],
  ["stdio, everything", { id: "a", ...stdio, args: ["-y"], env: { A: "" }, inheritEnv: "none" as const, cwd: "/srv" }],
  ["http, the least", { id: "a", ...http }],
  ["http, everything", { id: "a", ...http, headers: { a: "b" }, bearerToken: "", mode: "sse" }],
  ["http with OAuth", { id: "a", ...http, auth: "oauth" }],
  ["http with keys of the host", { id: "a", ...http, auth: "api-key" }],
  ["a command alone", { id: "a", command: "server" }],
  ["a URL alone", { id: "a", url: "https://example.com/mcp" }],
  ["a type of mcpServers files", { id: "a", type: "streamable-http", url: "https://example.com/mcp" }],
  ["another one", { id: "a", type: "sse", url: "https://example.com/mcp", mode: "sse" }],
  ["what is undefined", { id: "a", command: undefined, url: "https://example.com/mcp" }],
  ["memory", { id: "a", type: "memory", serve: () => undefined }],
  ["custom", { id: "a", type: "custom", open: () => undefined }],
  [
    "every other field",
    {
      id: " a\n",
      ...stdio,
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
  ["an id that every object has a member of", { id: "__proto__", ...stdio }],
];

const bad: readonly (readonly [what: string, spec: unknown, field: string, rule: string])[] = [
  ["no object", null, "", "must be an object"],
  ["an array", [], "", "must be an object"],
  ["a string", "npx server", "", "must be an object"],
  ["no id", stdio, "id", "must be a string"],
  ["an id that is no string", { id: { toString: null }, ...stdio }, "id", "must be a string"],
  ["a blank id", { id: " \t", ...stdio }, "id", "must not be blank"],
  ["a start at no known time", { id: "a", ...stdio, startup: "lazy" }, "startup", 'must be one of "init", "back'],
  [
    "a required server that nobody waits for",
    { id: "a", ...stdio, required: true, startup: "background" },
    "startup",
    'must be "init" for a server that is required',
  ],
  ["elicitation as a text", { id: "a", ...stdio, elicitation: "no" }, "elicitation", "must be a boolean"],
  [
    "an unknown field",
    { id: "a", ...stdio, excluded: ["x"] },
    "excluded",
    "is unknown; known are id, source, perCaller, type, command, ",
  ],
  [
    "a transport of its own, as some products have it",
    { id: "a", transport: { type: "stdio", command: "npx" } },
    "transport",
    "is unknown: its members belong in the entry itself",
  ],
  ["a transport that is a text", { id: "a", transport: "http", url: "https://a.test" }, "transport", "is unknown; "],
  ["a misspelt command", { id: "a", comand: "npx" }, "comand", "is unknown; did you mean command?"],
  [
    "a misspelt argument list",
    { id: "a", ...stdio, arg: ["-y"] },
    "arg",
    "is unknown; known are id, source, perCaller, type, command, ",
  ],
  [
    "a misspelt environment",
    { id: "a", ...stdio, inheritEnvs: "all" },
    "inheritEnvs",
    "is unknown; did you mean inheritEnv?",
  ],
  ["a command and a URL", { id: "a", command: "npx", url: "https://a.test" }, "url", "cannot be set together with "],
  ["a serve function alone", { id: "a", serve: () => undefined }, "", "must have a command, a url, or a type"],
  ["a title that is no string", { id: "a", ...stdio, title: 1 }, "title", "must be a string"],
  ["an unknown era", { id: "a", ...stdio, era: "modern" }, "era", 'must be one of "auto", "legacy", "2026-07-28"'],
  ["an unknown concurrency", { id: "a", ...stdio, concurrency: 2 }, "concurrency", "must be one of "],
  ["disabled as a text", { id: "a", ...stdio, disabled: "no" }, "disabled", "must be a boolean"],
  ["required as a number", { id: "a", ...stdio, required: 1 }, "required", "must be a boolean"],
  ["allow as a text", { id: "a", ...stdio, allow: "x" }, "allow", "must be an array of strings"],
  ["deny with a number", { id: "a", ...stdio, deny: ["x", 1] }, "deny", "must be an array of strings"],
  ["tools as a list", { id: "a", ...stdio, tools: ["x"] }, "tools", "must be an object of objects"],
  ["tools in a Map", { id: "a", ...stdio, tools: new Map() }, "tools", "must be an object of objects"],
  ["an effect in place of a tool", { id: "a", ...stdio, tools: { x: "pure" } }, 'tools["x"]', "must be an object"],
  [
    "an unknown effect",
    { id: "a", ...stdio, tools: { x: { effect: "read" } } },
    'tools["x"].effect',
    'must be one of "pure", "idempotent-write", "non-idempotent-write", "external"',
  ],
  [
    "a misspelt requireApproval",
    { id: "a", ...stdio, tools: { x: { requiresApproval: true } } },
    'tools["x"].requiresApproval',
    "is unknown; did you mean requireApproval?",
  ],
  [
    "an approval that is a text",
    { id: "a", ...stdio, tools: { x: { requireApproval: "yes" } } },
    'tools["x"].requireApproval',
    "must be a boolean",
  ],
  [
    "a description that is no text",
    { id: "a", ...stdio, tools: { x: { description: null } } },
    'tools["x"].description',
    "must be a string",
  ],
  ["labels as a list", { id: "a", ...stdio, labels: ["x"] }, "labels", "must be an object of strings"],
  ["a label that is a number", { id: "a", ...stdio, labels: { x: 1 } }, "labels.x", "must be a string"],
  [
    "a label without a name",
    { id: "a", ...stdio, labels: { " ": "x" } },
    'labels[" "]',
    "must have a name of 1 to 64 characters",
  ],
  [
    "a long label",
    { id: "a", ...stdio, labels: { x: "y".repeat(257) } },
    'labels["x"]',
    "must have at most 256 characters",
  ],
  [
    "many labels",
    { id: "a", ...stdio, labels: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`l${n}`, ""])) },
    "labels",
    "must have at most 32 labels",
  ],
  ["trust as a text", { id: "a", ...stdio, trustAnnotations: "yes" }, "trustAnnotations", "must be a boolean"],
  ["timeouts as a number", { id: "a", ...stdio, timeouts: 5 }, "timeouts", "must be an object, not a number"],
  [
    "timeouts in a Map",
    { id: "a", ...stdio, timeouts: new Map([["callMs", 5]]) },
    "timeouts",
    "must be an object, not a Map",
  ],
  ["limits in a Set", { id: "a", ...stdio, limits: new Set() }, "limits", "must be an object, not a Set"],
  [
    "an override in a Map",
    { id: "a", ...stdio, tools: { x: new Map([["effect", "pure"]]) } },
    'tools["x"]',
    "must be an object, not a Map",
  ],
  [
    "an unknown timeout",
    { id: "a", ...stdio, timeouts: { call: 5 } },
    "timeouts.call",
    "is unknown; known are connectMs, ",
  ],
  ...[-1, 0, Number.NaN, Number.POSITIVE_INFINITY, "5", null].map(
    (callMs) =>
      [
        `a timeout of ${String(callMs)}`,
        { id: "a", ...stdio, timeouts: { callMs } },
        "timeouts.callMs",
        "must be a positive number of milliseconds",
      ] as const,
  ),
  [
    "an unknown limit",
    { id: "a", ...stdio, limits: { __proto__: null, pages: 1 } },
    "limits.pages",
    "is unknown; known are ",
  ],
  ...[-1, 0, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map(
    (maxPages) =>
      [
        `a limit of ${maxPages}`,
        { id: "a", ...stdio, limits: { maxPages } },
        "limits.maxPages",
        "must be a positive integer",
      ] as const,
  ),
  ["nothing that says where it is", { id: "a" }, "", "must have a command, a url, or a type"],
  [
    "a word of other products for HTTP",
    { id: "a", type: "streamableHttp", url: "https://example.com" },
    "type",
    'must be "stdio", "http", "memory" or "custom"; here it is "http"',
  ],
  [
    "a mode that contradicts a type",
    { id: "a", type: "sse", url: "https://example.com", mode: "auto" },
    "mode",
    'must be "sse" beside type: "sse"',
  ],
  ["an unknown type", { id: "a", type: 1n }, "type", 'must be "stdio", "http", "memory" or "custom"'],
  ["no command", { id: "a", type: "stdio" }, "command", "must not be blank"],
  ["a blank command", { id: "a", type: "stdio", command: " " }, "command", "must not be blank"],
  ["arguments as a text", { id: "a", ...stdio, args: "-y x" }, "args", "must be an array of strings"],
  ["an argument that is a number", { id: "a", ...stdio, args: ["-p", 80] }, "args", "must be an array of strings"],
  ["env as a list", { id: "a", ...stdio, env: ["A=b"] }, "env", "must be an object of strings"],
  [
    "a variable without value",
    { id: "a", ...stdio, env: { A: undefined } },
    "env.A",
    "must be a string, and is undefined",
  ],
  ["variables in a Map", { id: "a", ...stdio, env: new Map([["A", "b"]]) }, "env", "must be an object of strings"],
  [
    "an unknown inheritEnv",
    { id: "a", ...stdio, inheritEnv: true },
    "inheritEnv",
    'must be one of "safe", "all", "none"',
  ],
  ["a cwd that is no string", { id: "a", ...stdio, cwd: 1 }, "cwd", "must be a string"],
  [
    "a field of another transport",
    { id: "a", ...stdio, headers: {} },
    "headers",
    "is unknown; known are id, source, perCaller, type, command, ",
  ],
  ["a URL that is no text", { id: "a", type: "http", url: new URL(http.url) }, "url", "must be a string, not a URL"],
  ["no URL", { id: "a", type: "http" }, "url", "must not be blank"],
  ["a blank URL", { id: "a", type: "http", url: "\n" }, "url", "must not be blank"],
  ["a misspelt header field", { id: "a", ...http, header: {} }, "header", "is unknown; did you mean headers?"],
  ["headers as a list", { id: "a", ...http, headers: [["a", "b"]] }, "headers", "must be an object of strings"],
  ["a bearer token that is no string", { id: "a", ...http, bearerToken: 1 }, "bearerToken", "must be a string"],
  ["an unknown auth", { id: "a", ...http, auth: true }, "auth", 'must be one of "oauth", "api-key"'],
  ["an unknown mode", { id: "a", ...http, mode: "http" }, "mode", 'must be one of "auto", "streamable", "sse"'],
  ["memory without a server", { id: "a", type: "memory" }, "serve", "must be a function"],
  ["custom with an object", { id: "a", type: "custom", open: {} }, "open", "must be a function"],
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
      { id: "my \u001B server", ...http, headers: { authorization: secret } },
      { id: "my \u001B server", ...http, bearerToken: secret },
      { id: "my \u001B server", ...stdio, env: { TOKEN: secret } },
      { id: "my \u001B server", type: "hunter2" },
    ];
    for (const spec of specs) {
      expect(() => assertServerSpec(spec)).toThrow(/^\[invalid_spec\] server "my \\u001b server": (?!.*hunter2)/);
    }
  });
});

describe("specError()", () => {
  it("is an invalid_spec with the field as data", () => {
    const error = specError("a", "url", "must be https:");
    expect(error).toMatchObject({ code: "invalid_spec", serverId: "a", details: { field: "url" } });
    expect(error.message).toBe('[invalid_spec] server "a": url must be https:');
  });
});
