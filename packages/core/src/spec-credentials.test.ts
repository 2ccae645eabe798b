import { describe, expect, it } from "vitest";
import { credentialsOf } from "./server-credentials.ts";
import type { ServerEntry } from "./server-spec.ts";

const of = credentialsOf;
const stdio = (more: object): ServerEntry => ({ type: "stdio", command: "x", ...more });
const http = (url: string, more: object = {}): ServerEntry => ({ type: "http", url, ...more });

describe("credentialsOf()", () => {
  it.each<[ServerEntry, readonly string[], readonly string[]]>([
    [
      stdio({ env: { API_KEY: "abc123", NODE_ENV: "production", WORD: "wordword" } }),
      ["abc123"],
      ["production", "wordword"],
    ],
    [stdio({ env: { DB: "postgres://me:p%40ss@db/Shop2025" } }), ["p%40ss", "p@ss"], ["Shop2025", "me"]],
    [stdio({ env: { DB: "mongodb://me:manyhosts@h1:1,h2:2/db" } }), ["manyhosts"], ["me", "h1:1,h2:2"]],
    [stdio({ env: { DSN: "host=db password=libpq1 dbname=shop" } }), ["libpq1"], ["shop", "db"]],
    [
      stdio({ env: { H: '{"Authorization":"Bearer jwt1","Notion-Version":"2022-06-28"}' } }),
      ["Bearer jwt1", "jwt1"],
      ["2022-06-28"],
    ],
    [stdio({ env: { GCP_CREDENTIALS: '{"private_key":"pem1","project_id":"my-project"}' } }), ["pem1"], ["my-project"]],
    [stdio({ env: { PWD: "/srv/work" } }), [], ["/srv/work"]],
    [
      stdio({
        env: { HOOK: "https://a.example.com/T0123/NmIxOTk2YzQtZTk3" },
        args: ["--url=https://b.test/0123456789abcdef"],
      }),
      ["NmIxOTk2YzQtZTk3", "0123456789abcdef"],
      ["T0123"],
    ],
    [stdio({ command: "mcpserver20261128release0042 --token=tok" }), ["tok"], ["mcpserver20261128release0042"]],
    [
      stdio({ args: ["--token=tok", "--key", "kee", "--project", "acme-production-analytics-01"] }),
      ["tok", "kee"],
      ["acme-production-analytics-01"],
    ],
    [
      stdio({ args: ["Server=db;Password='pwd';Team=blue", '{"apiKey": "jsn", "team": "red"}'] }),
      ["pwd", "jsn"],
      ["blue", "red"],
    ],
    [
      stdio({ args: ["--header", "Accept: application/json", "--header=Authorization: Bearer abc"] }),
      ["Bearer abc", "abc"],
      ["application/json"],
    ],
    [stdio({ command: "sh", args: ["-c", 'TOKEN="abc123" exec server'] }), ["abc123"], ["server"]],
    [http("https://u9Xk:pw@a.example.com/mcp?key=k%2Bk&team=red"), ["k%2Bk", "k+k", "pw", "u9Xk"], ["red"]],
    [
      http("https://a.example.com/api/mcp/s/NmIxOTk2YzQtZTk3/mcp?sig=s1#access_token=t1"),
      ["NmIxOTk2YzQtZTk3", "s1", "t1"],
      ["mcp"],
    ],
    [
      http("https://a.example.com/mcp", { headers: { Authorization: `Basic ${btoa("me:pa:ss")}`, "X-Team": "blue" } }),
      ["me:pa:ss", "pa:ss"],
      ["blue"],
    ],
    [
      http("https://a.example.com/mcp", { headers: { Cookie: "theme=darkmode; sid=0123456789abcdef" } }),
      ["0123456789abcdef"],
      ["darkmode"],
    ],
    [http("https://a.example.com/mcp", { bearerToken: "ttt" }), ["ttt"], []],
  ])("finds what lets somebody in, and no word beside it: %j", (transport, secrets, plain) => {
    const found = of(transport);
    expect(found).toEqual(expect.arrayContaining([...secrets]));
    expect(plain.filter((word) => found.includes(word))).toEqual([]);
  });

  it.each<ServerEntry>([
    http("https://a.example.com/mcp?project=production&region=europe-west1"),
    http("https://a.example.com/projects/MyProject2/mcp#Part2"),
    stdio({ command: "npx -y", args: ["https://github.com/acme/Repo_Name2025", "file:///srv/WorkStuff2"] }),
    stdio({ env: { HOME_URL: "https://a.example.com/Some2/Path3?page=2" } }),
  ])("finds nothing where there is nothing: %j", (transport) => {
    expect(of(transport)).toEqual([]);
  });

  it("takes time in line with the length of a text, and stands what is nested without end", () => {
    const odd = [
      " ".repeat(300_000),
      `https://a.example/?${"a".repeat(300_000)}`,
      "=".repeat(300_000),
      "[".repeat(300_000),
    ];
    expect(of(stdio({ args: odd, env: { A: `bearer${" ".repeat(300_000)}` } })).length).toBeLessThan(10);
    expect(of(stdio({ env: { A: `${'{"a":'.repeat(6000)}1${"}".repeat(6000)}` } }))).toEqual([]);
  });
});
