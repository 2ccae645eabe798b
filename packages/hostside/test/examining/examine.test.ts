import { readConfig } from "@hostside/config";
import { describe, expect, it } from "vitest";
import { secretsIn } from "../../src/cli/configuring/find-secrets.ts";
import { examineMachine } from "../../src/cli/examining/doctor.ts";
import { examineAllTools, examineTools } from "../../src/cli/examining/examine-tools.ts";
import { createRunFor } from "../../src/cli/examining/finding.ts";

it("examineMachine() tells names of proxies, and no value of them", () => {
  const env = { PATH: "/gone", https_proxy: "http://user:secret@proxy", NO_PROXY: "" };
  const findings = examineMachine({ env, nodeVersion: "22.0.0" });
  expect(findings.map(({ what }) => what)).toEqual(["Node 22.0.0", "proxy variables are set: https_proxy"]);
});

it("secretsIn() finds what is written down, and no reference", () => {
  const env = { API_TOKEN: "abc123", B_TOKEN: "${B_TOKEN}", D_SECRET: "", MODE: "fast", E_TOKEN: "$E" };
  const args = ["--api-key", "abcdefgh", "--mode", "x", "TOKEN=defghijk", "--secret=${S}"];
  const { servers } = readConfig(
    { mcpServers: { a: { command: "x", env, args }, b: { url: "https://x.dev/mcp?token=ghijklmn&page=2" } } },
    { dialect: "mcp-json" },
  );
  const found = servers.flatMap(({ draft }) => secretsIn(draft));
  expect(found).toEqual(["env.API_TOKEN", "args[1]", "args[4]", "url"]);
  expect(JSON.stringify(found)).not.toMatch(/abc|def|ghi/);
});

describe("examineTools()", () => {
  const tool = (toolName: string, more: object = {}) => ({
    name: `mcp_files_${toolName}`,
    description: "x",
    inputSchema: { type: "object" },
    origin: { serverId: "files", toolName, qualifiedName: "" },
    ...more,
  });
  const runFor = createRunFor({});
  const worth = (tools: Parameters<typeof examineTools>[1]) =>
    examineTools("files", tools, runFor).filter(({ level }) => level !== "ok");

  it("says of a server without tools what looks into it", () => {
    expect(examineTools("files", [], runFor)).toMatchObject([{ mend: { command: "hostside list --verbose files" } }]);
  });

  it("names tools with hidden characters", () => {
    expect(worth([tool("plain"), tool("odd", { flags: ["tag", "truncated"] })])).toMatchObject([
      { level: "advice", evidence: ["odd: tag"] },
    ]);
  });

  it("says which API does not take a tool", () => {
    const inputSchema = { type: "array", items: { type: "string" } };
    expect(worth([tool("plain"), tool("list", { inputSchema })]).map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^1 tool of 2 cannot be offered by /),
    );
  });

  it("names the dearest tools, and adds up those of all servers", () => {
    const large = (name: string) => tool(name, { description: "word ".repeat(9000) });
    const [finding] = worth([tool("small"), large("large")]);
    expect(finding?.evidence).toEqual([expect.stringMatching(/^large: \d+$/), expect.stringMatching(/^small: \d+$/)]);
    const other = { ...large("other"), origin: { serverId: "b", toolName: "other", qualifiedName: "" } };
    expect(examineAllTools([large("large"), other])).toMatchObject([
      { level: "advice", what: expect.stringMatching(/^2 tools of all/) },
    ]);
    expect(examineAllTools([large("large")])).toEqual([]);
  });
});
