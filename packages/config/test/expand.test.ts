import { expandConfig, expandEnv, readConfig, type ConfigProblem, type DialectName } from "@hostside/config";
import type { ExpandContext } from "../src/expand/resolve-reference.ts";
import { reachOf } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { cpuSecondsOf } from "../../../test/cpu-seconds.ts";

const none: ExpandContext = { env: {} };

interface Outcome {
  readonly spec: unknown;
  readonly said: readonly string[];
  readonly secrets: readonly string[];
}

/** What becomes of the only server of a configuration. */
async function expandOnly(config: object, dialect: DialectName, context: ExpandContext = none): Promise<Outcome> {
  const { servers, problems } = readConfig(config, { dialect });
  const [server] = servers;
  if (server === undefined) throw new Error(JSON.stringify(problems));
  const { spec, problems: said, secrets } = await expandConfig(server, context);
  return {
    spec: spec && reachOf(spec),
    said: said.map(({ severity, path, message }) => `${severity} ${path}: ${message}`),
    secrets,
  };
}

const env = { SET: "value", EMPTY: "", NESTED: "${SET}" };

describe("expandEnv()", () => {
  it.each([
    ["${SET}", "value", []],
    ["a ${SET} b ${SET}", "a value b value", []],
    ["${EMPTY:-default}", "", []],
    ["${UNSET:-default}", "default", []],
    ["${UNSET:-}", "", []],
    ["${UNSET:-a:-b}", "a:-b", []],
    ["${UNSET} ${UNSET} ${OTHER}", "${UNSET} ${UNSET} ${OTHER}", ["UNSET", "OTHER"]],
    ["$SET", "$SET", []],
    ["$$SET ${", "$$SET ${", []],
    ["${}", "${}", []],
    ["${NESTED}", "${SET}", []],
    // The first brace ends a reference.
    ["${UNSET:-${SET}}", "${SET}", []],
    ["${__proto__} ${toString}", "${__proto__} ${toString}", ["__proto__", "toString"]],
    ["C:\\dir\\${SET}", "C:\\dir\\value", []],
  ] as [string, string, string[]][])("%j becomes %j", (text, expanded, missing) => {
    expect(expandEnv(text, env)).toEqual({ expanded, missing });
  });
});

describe("expandConfig() as evva does it", () => {
  const expandEvva = (entry: object) => expandOnly({ mcpServers: { a: entry } }, "evva", { env });

  it("expands env, and warns of what is missing", async () => {
    const { spec, said } = await expandEvva({ command: "x", env: { A: "${SET}", B: "${UNSET}-${SET}" } });
    expect(spec).toMatchObject({ env: { A: "value", B: "${UNSET}-value" } });
    expect(said).toEqual(["warning mcpServers.a.env.B: missing [UNSET]"]);
  });

  it("keeps a command as it is when anything in it is missing", async () => {
    expect((await expandEvva({ command: "${SET}/x" })).spec).toMatchObject({ command: "value/x" });
    expect((await expandEvva({ command: "${SET}/${UNSET}" })).spec).toMatchObject({ command: "${SET}/${UNSET}" });
  });

  it("expands arguments, and says nothing of what is missing", async () => {
    const { spec, said } = await expandEvva({ command: "x", args: ["${SET}", "${UNSET}"] });
    expect([spec, said]).toEqual([expect.objectContaining({ args: ["value", "${UNSET}"] }), []]);
  });

  it("expands URLs and headers, and warns of what is missing", async () => {
    const headers = { "X-A": "${SET}", "X-B": "${UNSET}" };
    const { spec, said } = await expandEvva({ url: "https://${SET}.example.com/${UNSET}", headers });
    expect(spec).toMatchObject({
      url: "https://value.example.com/${UNSET}",
      headers: { "X-A": "value", "X-B": "${UNSET}" },
    });
    expect(said).toEqual([
      "warning mcpServers.a.url: missing [UNSET]",
      "warning mcpServers.a.headers.X-B: missing [UNSET]",
    ]);
  });
});

describe("expandConfig() as nexo does it", () => {
  const stdio = (env: object) => ({ mcp: { servers: { a: { transport: { type: "stdio", command: "x" }, env } } } });
  const http = (headers: object) => ({
    mcp: { servers: { a: { transport: { type: "http", url: "https://a.example.com", headers } } } },
  });

  it("puts variables and files into env and headers", async () => {
    const context = { env, files: { "./key": "from the file\r\n" } };
    const inEnv = await expandOnly(stdio({ A: "${SET}", B: "${file:./key}" }), "nexo", context);
    expect(inEnv.spec).toMatchObject({ env: { A: "value", B: "from the file" } });
    expect(inEnv.secrets).toEqual(["from the file"]);
    const inHeaders = await expandOnly(http({ "X-A": "${SET}", "X-B": "b ${file:./key}" }), "nexo", context);
    expect(inHeaders.spec).toMatchObject({ headers: { "X-A": "value", "X-B": "b from the file" } });
  });

  it("does not use a server whose variable or file is missing", async () => {
    const { spec, said } = await expandOnly(stdio({ A: "${UNSET}", B: "${file:./gone}" }), "nexo", none);
    expect(spec).toBeUndefined();
    expect(said).toEqual([
      "error mcp.servers.a.env.A: UNSET is not set",
      'error mcp.servers.a.env.B: the file "./gone" is not there',
    ]);
  });

  it.each([
    ["tab\tand ~ and space", true],
    ["line\nbreak", false],
    ["\u007F", false],
    ["ü", false],
  ])("a header value of %j is legal: %j", async (value, legal) => {
    const { spec, said } = await expandOnly(http({ "X-A": "${VALUE}" }), "nexo", { env: { VALUE: value } });
    expect(spec !== undefined).toBe(legal);
    const rule = "headers.X-A may contain only tabs and printable ASCII characters";
    expect(said).toEqual(legal ? [] : [`error mcp.servers.a.transport.headers.X-A: ${rule}`]);
  });

  it("puts the root of an extension into everything but a URL", async () => {
    const transport = {
      type: "stdio",
      command: "${EXTENSION_ROOT}/bin/x",
      args: ["${EXTENSION_ROOT}"],
      cwd: "${EXTENSION_ROOT}/w",
    };
    const folders = { extensionRoot: "/ext" };
    const process = await expandOnly({ mcp: { servers: { a: { transport } } } }, "nexo", { env, folders });
    expect(process.spec).toMatchObject({ command: "/ext/bin/x", args: ["/ext"], cwd: "/ext/w" });
    const url = { type: "http", url: "https://a.example.com${EXTENSION_ROOT}" };
    const remote = await expandOnly({ mcp: { servers: { a: { transport: url } } } }, "nexo", { env, folders });
    expect(remote.said).toEqual(["error mcp.servers.a.transport.url: EXTENSION_ROOT is not set"]);
  });
});

describe("expandConfig() as anda does it", () => {
  const expandAnda = (transport: object, context: ExpandContext) =>
    expandOnly({ servers: { a: { transport: { type: "stdio", command: "x", ...transport } } } }, "anda", context);

  it("starts a process without a cwd in the project, where the folder of that is known", async () => {
    const { spec } = await expandAnda({}, { env, folders: { workspaceFolder: "/srv/app" } });
    expect(spec).toMatchObject({ command: "x", cwd: "/srv/app" });
    const { spec: elsewhere, said } = await expandAnda({}, none);
    expect([elsewhere, said]).toEqual([expect.not.objectContaining({ cwd: expect.anything() }), []]);
  });

  it("refuses a cwd that is written and not known", async () => {
    const { said } = await expandAnda({ cwd: "${workspaceFolder}" }, none);
    expect(said).toEqual(["error servers.a.transport.cwd: workspaceFolder is not set"]);
  });
});

describe("expandConfig() of references", () => {
  const inArgs = (dialect: DialectName, text: string, context: ExpandContext) =>
    expandOnly({ mcpServers: { a: { command: "x", args: [text] } } }, dialect, context);
  const folders = { workspaceFolder: "C:\\code\\app", userHome: "C:\\Users\\ada" };

  it.each<[DialectName, string, string]>([
    ["claude-code", "${SET} ${UNSET:-d} $SET ${env:SET}", "value d $SET ${env:SET}"],
    ["cursor", "${env:SET} ${SET}", "value ${SET}"],
    [
      "cursor",
      "${workspaceFolder}${/}${workspaceFolderBasename}${pathSeparator}${userHome}",
      "C:\\code\\app\\app\\C:\\Users\\ada",
    ],
    ["gemini", "$SET ${SET} %SET% ${UNSET:-d} $UNSET", "value value %SET% d $UNSET"],
    ["windsurf", "${env:SET} ${file:f}", "value text"],
    ["cline", "${env:SET} ${env:UNSET}", "value ${env:UNSET}"],
    ["mcporter", "$env:SET ${SET} ${UNSET:-d} $SET", "value value d $SET"],
    ["claude-desktop", "${SET} %SET%", "${SET} %SET%"],
    ["anda", "$SET ${SET}", "value value"],
    ["mcp-json", "${SET} ${env:SET} ${env:UNSET:-d} ${file:f}", "value value d text"],
  ])("in the dialect %s, %j is %j", async (dialect, text, expanded) => {
    const { spec } = await inArgs(dialect, text, { env, files: { f: "text" }, folders, platform: "win32" });
    expect(spec).toMatchObject({ args: [expanded] });
  });

  it("expands once, and never what a value brings", async () => {
    const context = { env: { A: "${B} $B {env:B} ${file:f}", B: "no" }, files: { f: "no" } };
    expect((await inArgs("mcp-json", "${A}", context)).spec).toMatchObject({ args: [context.env.A] });
    expect((await inArgs("gemini", "$A", context)).spec).toMatchObject({ args: [context.env.A] });
  });

  it.each([
    ["win32", "value  value"],
    ["linux", "%SET%  value"],
  ])("knows %%NAME%% in the environment of Gemini CLI on Windows alone: %s", async (platform, expanded) => {
    const config = { mcpServers: { a: { command: "x", env: { A: "%SET% $UNSET $SET" } } } };
    expect((await expandOnly(config, "gemini", { env, platform })).spec).toMatchObject({ env: { A: expanded } });
  });

  it("finds variables in any case on Windows alone", async () => {
    const spelt = { env: { Path: "here" } };
    expect((await inArgs("mcp-json", "${PATH}", { ...spelt, platform: "win32" })).spec).toMatchObject({
      args: ["here"],
    });
    expect((await inArgs("mcp-json", "${PATH}", { ...spelt, platform: "linux" })).spec).toBeUndefined();
  });

  it("waits for files and answers, and takes no for an answer", async () => {
    const files = async (path: string) => {
      if (path === "gone") throw Object.assign(new Error("secret words"), { code: "EACCES" });
      return `text of ${path}`;
    };
    expect((await inArgs("mcp-json", "${file:here}", { env, files })).spec).toMatchObject({ args: ["text of here"] });
    const { said } = await inArgs("mcp-json", "${file:gone}", { env, files });
    expect(said).toEqual(['error mcpServers.a.args[0]: the file "gone" cannot be read (EACCES)']);
  });
});

describe("expandConfig() of hostile texts", () => {
  it.each<[DialectName, string]>([
    ["cursor", `${"${".repeat(250_000)}}`],
    ["claude-desktop", `${"${env:".repeat(80_000)}}`],
    ["opencode", "{env:".repeat(80_000)],
    ["continue", `${"${{secrets.a".repeat(40_000)}}`],
    ["gemini", "%a".repeat(250_000)],
  ])("reads half a megabyte of beginnings of references in %s at once", async (dialect, text) => {
    const { servers } = readConfig({ mcpServers: { a: { command: "x", args: [text] } } }, { dialect: "mcp-json" });
    const [server] = servers;
    if (server === undefined) throw new Error("there is no server");
    let problems: readonly ConfigProblem[] = [];
    const seconds = await cpuSecondsOf(async () => {
      ({ problems } = await expandConfig({ ...server, dialect }, { env: {}, platform: "win32" }));
    });
    // Each took minutes when it took the square of its length.
    expect(seconds).toBeLessThan(8);
    for (const { message } of problems) expect(message.length).toBeLessThan(300);
  });

  it("does not put together what is larger than any argument", async () => {
    const context = { env: { A: "x".repeat(1024 * 1024) } };
    const { spec, said } = await expandOnly(
      { mcpServers: { a: { command: "x", args: ["${A}".repeat(1000)] } } },
      "mcp-json",
      context,
    );
    const message = "is longer than 1048576 characters with what its references stand for";
    expect([spec, said]).toEqual([undefined, [`error mcpServers.a.args[0]: ${message}`]]);
  });
});

describe("expandConfig() of credentials", () => {
  it.each<[DialectName, string, string]>([
    ["cursor", "${env:API_TOKEN:-hunter2}", "API_TOKEN… is not set"],
    ["cursor", "${API_TOKEN:-hunter2}", "${API_TOKEN…} is not a reference in the dialect cursor"],
    ["claude-desktop", "a${x-hunter2}", "${x…} is not a reference in the dialect claude-desktop"],
    ["mcp-json", "${x \u001B[31mhunter2}", "x… is not set"],
  ])("never shows what may be one in a text about %s %j", async (dialect, text, message) => {
    const { said } = await expandOnly({ mcpServers: { a: { command: "x", env: { K: text } } } }, dialect);
    expect(said).toEqual([expect.stringContaining(`mcpServers.a.env.K: ${message}`)]);
    expect(said.join()).not.toContain("hunter2");
  });

  it.each([undefined, "", " "])("does not use a server whose bearer token is %j in the environment", async (token) => {
    const config = { mcp_servers: { a: { url: "https://a.example.com", bearer_token_env_var: "TOKEN" } } };
    const { spec, said } = await expandOnly(config, "codex", { env: { TOKEN: token } });
    const message = `TOKEN is ${token === undefined ? "not set" : "empty"}`;
    expect([spec, said]).toEqual([undefined, [`error mcp_servers.a.bearer_token_env_var: ${message}`]]);
  });

  it.each<[DialectName, string, boolean]>([
    ["mcp-json", "${API_TOKEN}", false],
    ["cursor", "${env:API_TOKEN}", false],
    ["mcporter", "$env:API_TOKEN", false],
    ["windsurf", "${env:API_TOKEN}", false],
    // Their own rule, with a warning.
    ["claude-code", "${API_TOKEN}", true],
    ["cline", "${env:API_TOKEN}", true],
    ["evva", "${API_TOKEN}", true],
  ])("the name of a variable that is not set goes out as a credential in %s (%j): %j", async (dialect, text, sent) => {
    const entry = {
      type: dialect === "cline" ? "streamableHttp" : "http",
      url: "https://a.example.com",
      headers: { Authorization: text },
    };
    const typed = dialect === "mcporter" ? { url: entry.url, headers: entry.headers } : entry;
    const { spec, said } = await expandOnly({ mcpServers: { a: typed } }, dialect);
    expect(spec !== undefined).toBe(sent);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(
      sent ? /^warning mcpServers\.a\.headers\.Authorization/ : /^error mcpServers\.a\.headers\.Authorization/,
    );
  });

  it("hands on what came from secret places, and nothing else", async () => {
    const texts = { A: "${API_TOKEN}", B: "${REGION}", C: "${file:f}", D: "${UNSET_TOKEN:-default}" };
    const context = { env: { API_TOKEN: "t0ken", REGION: "eu" }, files: { f: "of a file" } };
    const { secrets } = await expandOnly({ mcpServers: { a: { command: "x", env: texts } } }, "mcp-json", context);
    expect(secrets).toEqual(["t0ken", "of a file"]);
  });

  it("guards them after they are in place", async () => {
    const entry = { url: "${URL}", headers: { "X-Api-Key": "${API_KEY}" } };
    const at = (URL: string) => expandOnly({ mcpServers: { a: entry } }, "mcp-json", { env: { URL, API_KEY: "abc" } });
    expect((await at("https://a.example.com")).spec).toBeDefined();
    expect((await at("http://127.0.0.1:80")).spec).toBeDefined();
    const { spec, said } = await at("http://a.example.com");
    expect(spec).toBeUndefined();
    expect(said).toEqual([
      "error mcpServers.a.headers.X-Api-Key: headers.X-Api-Key carries credentials, which need an https: URL or a loopback address",
    ]);
  });

  it("asks the host's own check, and shows no secret of what it says", async () => {
    const check = () => {
      throw new Error("no t0ken here");
    };
    const { said } = await expandOnly({ mcpServers: { a: { command: "${API_TOKEN}" } } }, "mcp-json", {
      env: { API_TOKEN: "t0ken" },
      check,
    });
    expect(said).toEqual(["error mcpServers.a: the spec is refused by a check of the host"]);
  });
});
