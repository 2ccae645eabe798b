import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialectNames, expandConfig, formatProblem, readConfig, type DialectName } from "@hostside/config";
import type { ReadConfigOptions } from "../src/dialects/read-parsed.ts";
import { describe, expect, it } from "vitest";

// Each folder has one file of one tool, as its documentation shows them, and what is read of it.
// With GOLDEN=write what is read now is written instead; then the difference is for a person to
// read.
const folder = fileURLToPath(new URL("fixtures", import.meta.url));
const cases = readdirSync(folder).toSorted();

// What nothing in the file shows.
const named: Readonly<Record<string, DialectName>> = { "anda-bot": "anda" };

const context = {
  env: {
    API_BASE: "https://api.example.com",
    CLINE_KEY: "cline-key",
    CONTEXT7_API_KEY: "context7-key",
    CONTINUE_KEY: "continue-key",
    CURSOR_API_KEY: "cursor-key",
    CURSOR_CLIENT: "cursor-client",
    DB_CONNECTION_STRING: "postgres://db",
    DB_PASSWORD: "db-password",
    EMPTY: "",
    EXTERNAL_API_KEY: "external-key",
    FIGMA_ACCOUNT: "figma-account",
    FIGMA_OAUTH_TOKEN: "figma-token",
    GITHUB_TOKEN: "github-token",
    GIT_TOKEN: "git-token",
    HOME: "/home/user",
    ISSUES_TOKEN: "issues-token",
    LOCAL_TOKEN: "local-token",
    OPENCODE_KEY: "opencode-key",
    OTHER_TOKEN: "other-token",
    PORT_NUMBER: "8080",
    SQLITE_SECRET: "sqlite-secret",
    TOKEN: "a-token",
    WINDSURF_TOKEN: "windsurf-token",
    WORD: "word",
    WORKFLOW_TOKEN: "workflow-token",
  },
  files: {
    "/run/secrets/github": "github-secret\n",
    "./key": "key-of-a-file",
    "./secrets/gmail_token.json": "gmail-secret\n",
    "/srv/app/.env": "# made by hand\nexport DEBUG=1\nFILE_TOKEN='token of a file' # quoted\nAPI_KEY=loses\n",
    "~/.token": "token-of-a-file",
  },
  inputs: { "perplexity-key": "perplexity-secret", key: "key-of-an-input" },
  folders: { workspaceFolder: "/srv/app", userHome: "/home/user" },
  platform: "linux",
} as const;

describe("readConfig() of each dialect's file", () => {
  it.each(cases)("%s", async (name) => {
    const path = fileIn(join(folder, name));
    const found = await outcomeOf(path, { file: path.slice(join(folder, name).length + 1), dialect: named[name] });
    const golden = join(folder, name, "expected.json");
    if (process.env["GOLDEN"] === "write") writeFileSync(golden, `${JSON.stringify(found, undefined, 2)}\n`);
    expect(found).toEqual(JSON.parse(readFileSync(golden, "utf8")));
  });

  it("has a file of every dialect, which is recognised", () => {
    const dialects = cases.map((name) => {
      const path = fileIn(join(folder, name));
      return readConfig(readFileSync(path, "utf8"), { file: path, dialect: named[name] }).dialect;
    });
    expect(new Set(dialects)).toEqual(new Set(dialectNames));
    for (const [index, name] of cases.entries()) expect(name.startsWith(dialects[index] ?? "?"), name).toBe(true);
  });
});

async function outcomeOf(path: string, options: ReadConfigOptions): Promise<unknown> {
  const { dialect, servers, settings, problems } = readConfig(readFileSync(path, "utf8"), {
    ...options,
    projectFolder: "/srv/app",
  });
  const read = await Promise.all(
    servers.map(async (server) => {
      const { id, draft, extras, variables, scope, position } = server;
      const expanded = await expandConfig(server, context);
      return {
        id,
        scope,
        place: `${position?.line}:${position?.column}`,
        draft,
        variables: variables.length > 0 ? variables : undefined,
        extras: Object.keys(extras).length > 0 ? expanded.extras : undefined,
        spec: expanded.spec ?? null,
        problems: expanded.problems.length > 0 ? expanded.problems.map(describeProblem) : undefined,
        secrets: expanded.secrets.length > 0 ? expanded.secrets : undefined,
      };
    }),
  );
  return asJson({ dialect, settings, servers: read, problems: problems.map(describeProblem) });
}

function describeProblem(problem: Parameters<typeof formatProblem>[0]): string {
  return `${problem.severity} ${problem.code} ${formatProblem(problem)}`;
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function fileIn(path: string): string {
  const names = readdirSync(path).filter((name) => name !== "expected.json");
  const [name = ""] = names;
  const inner = join(path, name);
  return statSync(inner).isDirectory() ? fileIn(inner) : inner;
}
