import { describe, expect, it } from "vitest";
import type { DoctorFacts, ProgramFacts, ServerFacts } from "../../src/cli/examining/facts.ts";
import { countFindings, type DoctorFinding } from "../../src/cli/examining/finding.ts";
import { judgeAll } from "../../src/cli/examining/doctor.ts";
import { configOf, doctorFacts, failedOf, machineOf, readyOf, serverOf, toolOf } from "./facts-of.ts";

function worth(facts: Partial<DoctorFacts>): readonly DoctorFinding[] {
  return judgeAll(doctorFacts(facts)).filter(({ level }) => level !== "ok");
}

/** The only finding that is not `ok`, as a short row. */
function only(facts: Partial<DoctorFacts>): readonly unknown[] {
  const findings = worth(facts);
  expect(findings.map(({ what }) => what)).toHaveLength(1);
  return findings.map(({ level, area, what, mend }) => [level, area, what, mend])[0] ?? [];
}

const withProgram = (program: Partial<ProgramFacts>, facts: Partial<ServerFacts> = {}): ServerFacts => {
  const { path: _, ...rest } = { ...serverOf().program, command: "uvx", missingFiles: [], leavesContainers: false };
  return failedOf({ code: "spawn_failed" }, { program: { ...rest, ...program }, ...facts });
};

it("finds nothing to mend where everything is well", () => {
  expect(worth({})).toEqual([]);
});

describe("the machine", () => {
  it.each([
    ["20.18.1", "problem"],
    ["18.20.0", "problem"],
  ])("Node %s is too old", (nodeVersion, level) => {
    expect(only({ machine: machineOf({ nodeVersion }) })).toMatchObject([
      level,
      "machine",
      expect.stringMatching(nodeVersion),
      expect.anything(),
    ]);
  });

  it.each(["20.19.0", "21.0.0", "24.1.0"])("Node %s is new enough", (nodeVersion) => {
    expect(worth({ machine: machineOf({ nodeVersion }) })).toEqual([]);
  });

  it("names folders of the PATH that do not exist only where a program was not found", () => {
    const machine = machineOf({ missingPathFolders: ["/gone"] });
    expect(worth({ machine })).toEqual([]);
    expect(worth({ machine, servers: [withProgram({ trouble: "missing" })] })).toContainEqual(
      expect.objectContaining({ area: "machine", evidence: ["/gone"] }),
    );
  });

  it("minds a proxy only where a server over HTTP was not reached", () => {
    const machine = machineOf({ proxyVariables: ["HTTPS_PROXY", "NO_PROXY"] });
    expect(worth({ machine })).toEqual([]);
    const servers = [failedOf({ code: "dns_failed" }, { transport: "http" })];
    expect(worth({ machine, servers })).toContainEqual(expect.objectContaining({ area: "machine", level: "advice" }));
  });

  it.each([
    [{ trustsAnyCertificate: true }, "problem", { command: "unset NODE_TLS_REJECT_UNAUTHORIZED" }],
    [{ trustsAnyCertificate: true, platform: "win32" }, "problem", { command: "set NODE_TLS_REJECT_UNAUTHORIZED=" }],
    [{ extraCertificates: { file: "/ca.pem", readable: false } }, "problem", { text: expect.any(String) }],
    [{ nodeOptions: ["--inspect"] }, "advice", { command: "unset NODE_OPTIONS" }],
  ])("%j", (machine, level, mend) => {
    expect(only({ machine: machineOf(machine) })).toEqual([level, "machine", expect.any(String), mend]);
  });
});

describe("the configuration", () => {
  it("says of a file that cannot be read what is wrong, and not that there are no servers", () => {
    const problem = { code: "invalid_syntax", severity: "error", text: "close brace expected" } as const;
    expect(only({ servers: [], config: configOf({ problems: [problem] }) })[2]).toBe("close brace expected");
  });

  it("says what to run where there is no server", () => {
    expect(only({ servers: [] })).toEqual([
      "problem",
      "configuration",
      "there are no servers",
      { command: "hostside init" },
    ]);
  });

  it.each([
    ["error", "unset_variable", "problem", { text: "set it" }],
    ["warning", "unknown_key", "advice", { text: "set it" }],
    ["warning", "untrusted_server", "advice", { command: "hostside trust 'my files'" }],
    ["error", "missing_input", "problem", { text: "set it" }],
  ] as const)("a problem of severity %s, %s", (...[severity, code, level, mend]) => {
    const problem = { code, severity, server: "my files", text: "mcp.json:1:2: x: is wrong", fix: "set it" };
    expect(only({ config: configOf({ problems: [problem] }) })).toEqual([level, "configuration", problem.text, mend]);
  });

  it("says who asks for an input that has no answer yet", () => {
    const problem = { code: "missing_input", severity: "error", server: "my files", text: "there is none" } as const;
    const mend = { text: "hostside list 'my files' asks for it on a terminal" };
    expect(only({ config: configOf({ problems: [problem] }) })[3]).toEqual(mend);
  });

  it("counts what is wrong with an entry once, though its server cannot be used either", () => {
    const server = serverOf({ state: "unusable" });
    const problem = { code: "unset_variable", severity: "error", server: server.id, text: "X is not set" } as const;
    expect(only({ servers: [server], config: configOf({ problems: [problem] }) })[2]).toBe("X is not set");
    expect(only({ servers: [server] })[2]).toBe("its entry cannot be used");
  });

  it("groups secrets of a server, and minds those of an example more", () => {
    const secret = { server: "files", file: "mcp.json", line: 4, field: "env.API_KEY", placeholder: false };
    const plainSecrets = [
      secret,
      { ...secret, field: "env.TOKEN" },
      { ...secret, field: "env.PAT", placeholder: true },
    ];
    const findings = worth({ config: configOf({ plainSecrets }) });
    expect(findings.map(({ level, what }) => [level, what])).toEqual([
      ["advice", "2 secrets stand in the file"],
      ["problem", "a secret is still the one of an example"],
    ]);
    expect(findings[0]?.evidence).toEqual(["mcp.json:4: env.API_KEY", "mcp.json:4: env.TOKEN"]);
    expect(findings[0]?.mend).toEqual({ text: expect.stringContaining('"${API_KEY}"') });
  });

  it.each([
    ["headers.X-Api-Key", "X_API_KEY"],
    ["args --api-key", "API_KEY"],
    ["url ?key", "KEY"],
  ])("names a variable for %s", (field, variable) => {
    const secret = { server: "files", file: "mcp.json", field, placeholder: false };
    expect(JSON.stringify(worth({ config: configOf({ plainSecrets: [secret] }) }))).toContain(`\${${variable}}`);
  });

  it("says which of two equal servers to switch off", () => {
    expect(only({ config: configOf({ duplicates: [["files", "files-2"]] }) })).toEqual([
      "advice",
      "configuration",
      expect.stringContaining('"files-2"'),
      { command: "hostside disable files-2" },
    ]);
  });
});

describe("the program", () => {
  it.each<[Partial<ProgramFacts>, string, object]>([
    [{ trouble: "missing" }, "uvx: not on the PATH", { command: "curl -LsSf https://astral.sh/uv/install.sh | sh" }],
    [{ command: "npx", trouble: "missing" }, "npx: not on the PATH", { text: expect.stringContaining("nodejs.org") }],
    [{ command: "bunx", trouble: "missing" }, "bunx: not on the PATH", { command: "npm install -g bun" }],
    [
      { command: "constructor", trouble: "missing" },
      "constructor: not on the PATH",
      { text: expect.stringContaining("absolute path") },
    ],
    [{ command: "./run", trouble: "missing" }, "./run: there is no such file", { text: expect.any(String) }],
    [
      { command: "npx …", trouble: "arguments-in-command" },
      '"npx …": there is no such program',
      { text: expect.stringContaining('"args"') },
    ],
    [{ trouble: "not-executable", blocked: "/a b/run" }, "uvx: not executable", { command: "chmod +x '/a b/run'" }],
    [{ trouble: "directory", blocked: "/a" }, "uvx: a folder, not a program", { text: expect.any(String) }],
  ])("%j", (program, what, mend) => {
    expect(only({ servers: [withProgram(program)] })).toEqual(["problem", "program", what, mend]);
  });

  it("counts a folder that is missing once, though the server does not start without it", () => {
    const server = withProgram({ path: "/uvx", missingCwd: "/gone", missingFiles: [] });
    expect(only({ servers: [server] })[2]).toBe("the folder that it is to start in does not exist");
  });

  it.each<[Partial<ProgramFacts>, string, object]>([
    [{ missingCwd: "/gone" }, "problem", { command: "mkdir -p /gone" }],
    [{ missingFiles: ["/x.js"] }, "advice", { text: expect.any(String) }],
    [{ inheritsAll: true }, "advice", { text: expect.stringContaining("inheritEnv") }],
    [{ leavesContainers: true }, "advice", { text: expect.stringContaining("--rm") }],
  ])("of one that is there: %j", (program, level, mend) => {
    const server = serverOf({
      program: { command: "docker", path: "/d", missingFiles: [], leavesContainers: false, ...program },
    });
    expect(only({ servers: [server] })).toEqual([level, "program", expect.any(String), mend]);
  });
});

describe("the connection", () => {
  it.each([
    [{ code: "tls_failed" }, { text: expect.stringContaining("NODE_EXTRA_CA_CERTS") }],
    [{ code: "dns_failed" }, { text: expect.stringContaining("name of the host") }],
    [{ code: "redirect_refused" }, { text: expect.stringContaining("leads to") }],
    [{ code: "http_error", httpStatus: 404 }, { text: expect.stringContaining("path of its url") }],
    [{ code: "http_error", httpStatus: 503 }, { text: expect.stringContaining("later") }],
    [{ code: "connect_timeout" }, { command: "hostside doctor files --timeout 120" }],
    [{ stderr: ["npm error code E404"] }, { text: 'npm has no "@x/files": look at how it is spelt' }],
    [{ stderr: ["getaddrinfo ENOTFOUND registry.npmjs.org"] }, { text: expect.stringContaining("network") }],
    [{ stderr: ["Cannot connect to the Docker daemon at unix:///"] }, { text: "start Docker" }],
    [{ code: "internal_error" }, undefined],
  ])("%j", (failure, mend) => {
    const program = { command: "npx", path: "/npx", missingFiles: [], leavesContainers: false, npxPackage: "@x/files" };
    expect(only({ servers: [failedOf(failure, { program })] })).toEqual(["problem", "connection", "it ended", mend]);
  });

  it("says which era to write where one works and auto did not find it", () => {
    const works = { works: true, protocolVersion: "2025-06-18", ms: 5 } as const;
    const eras = {
      legacy: works,
      modern: { works: false, failure: { code: "handshake_failed", message: "no" } },
    } as const;
    expect(only({ servers: [failedOf({ code: "handshake_failed" }, { eras })] })[3]).toEqual({
      text: expect.stringContaining('"era": "legacy"'),
    });
  });

  it.each([
    ["http", { command: "hostside login files" }],
    ["stdio", { text: expect.any(String) }],
  ] as const)("one over %s that wants a sign-in", (transport, mend) => {
    const server = failedOf({ code: "auth_required" }, { state: "needs-auth", transport });
    expect(only({ servers: [server] })).toEqual(["problem", "sign-in", "wants you to sign in", mend]);
  });

  it("one that is late", () => {
    expect(only({ servers: [failedOf({}, { state: "late", waitedMs: 30_000 })] })).toEqual([
      "problem",
      "connection",
      "did not come up within 30 s",
      { command: "hostside doctor files --timeout 60" },
    ]);
  });

  it.each([
    [3 * 3_600_000 + 1, "its sign-in ends in 3 h, and cannot be renewed without you"],
    [60_000, "its sign-in ends in 60 s, and cannot be renewed without you"],
    [-1, "its sign-in has ended, and cannot be renewed without you"],
  ])("a sign-in that ends in %d ms", (signInEndsAt, what) => {
    expect(only({ servers: [serverOf({ signInEndsAt })] })).toEqual([
      "advice",
      "sign-in",
      what,
      { command: "hostside login files" },
    ]);
  });

  it("a sign-in that lasts", () => {
    expect(worth({ servers: [serverOf({ signInEndsAt: 48 * 3_600_000 })] })).toEqual([]);
  });

  it("no word of a server that is off", () => {
    expect(worth({ servers: [failedOf({}, { state: "off", off: "disabled", plainHttp: true })] })).toEqual([]);
  });
});

describe("protocol, tools and speed", () => {
  const server = (ready: Parameters<typeof readyOf>[0]): ServerFacts => serverOf({ ready: readyOf(ready) });
  const fails = { works: false, failure: { code: "handshake_failed", message: "no" } } as const;

  it.each<[string, ServerFacts, readonly unknown[]]>([
    [
      "neither era, which failed with its server",
      failedOf({ code: "http_error", httpStatus: 404 }, { eras: { legacy: fails, modern: fails } }),
      ["problem", "connection", { text: expect.stringContaining("/mcp") }],
    ],
    ["the old transport", server({ httpMode: "sse" }), ["advice", "protocol", { text: expect.any(String) }]],
    [
      "stdout",
      serverOf({ diagnostics: [{ kind: "stdout-anomaly", message: "hello" }] }),
      ["advice", "protocol", { text: expect.stringContaining("stderr") }],
    ],
    ["no tools", server({ tools: [] }), ["advice", "tools", { command: "hostside check files" }]],
    [
      "left out",
      serverOf({ diagnostics: [{ kind: "tool-dropped", message: "x" }] }),
      ["advice", "tools", { text: expect.any(String) }],
    ],
    [
      "a long name",
      server({ tools: [toolOf({ renamed: "too-long" })] }),
      ["advice", "names", { text: expect.any(String) }],
    ],
    [
      "a collision",
      server({ tools: [toolOf({ renamed: "collision" })] }),
      ["advice", "names", { text: expect.any(String) }],
    ],
    ["hidden text", server({ tools: [toolOf({ flags: ["tag"] })] }), ["advice", "tools", { text: expect.any(String) }]],
    ["tokens", server({ tokens: 8001 }), ["advice", "tokens", { text: expect.stringContaining('"allow"') }]],
    ["a slow start", server({ connectMs: 5001 }), ["advice", "speed", { text: expect.stringContaining("startup") }]],
    ["a slow list", server({ listMs: 5001 }), ["advice", "speed", { text: expect.any(String) }]],
    ["a slow answer", server({ answerMs: 1001 }), ["advice", "speed", { text: expect.any(String) }]],
  ])("%s", (_name, facts, [level, area, mend]) => {
    const row = only({ servers: [facts] });
    expect([row[0], row[1], row[3]]).toEqual([level, area, mend]);
  });

  it("says which tools an API does not take", () => {
    const leftOut = [{ tool: "read", reason: "it is deep" }];
    const apis = [{ api: "Gemini", leftOut, adapted: [] }];
    const findings = worth({ servers: [server({ apis })] });
    expect(findings.map(({ what }) => what)).toEqual(["1 tool of 1 is not taken by Gemini, and left out there"]);
    expect(findings[0]?.evidence).toEqual(["read: it is deep"]);
  });

  it("names the five dearest tools", () => {
    const tools = [1, 7, 3, 9, 5, 2].map((tokens) => toolOf({ name: `t${tokens}`, tokens }));
    const [finding] = worth({ servers: [server({ tools, tokens: 9000 })] });
    expect(finding?.evidence).toEqual(["t9: 9", "t7: 7", "t5: 5", "t3: 3", "t2: 2"]);
  });

  it("adds up what all servers cost", () => {
    const servers = ["a", "b"].map((id) => serverOf({ id, ready: readyOf({ tokens: 5000 }) }));
    expect(only({ servers })).toMatchObject([
      "advice",
      "tokens",
      expect.stringContaining("10000 tokens"),
      expect.anything(),
    ]);
  });
});

it("counts problems and advice", () => {
  const findings = judgeAll(
    doctorFacts({ servers: [withProgram({ trouble: "missing" }), serverOf({ plainHttp: true })] }),
  );
  expect(countFindings(findings)).toEqual({ problems: 1, advice: 1 });
});
