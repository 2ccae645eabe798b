import { describe, expect, it } from "vitest";
import { credentialFieldsOf, credentialsOf } from "./server-sharing.ts";
import type { ServerSpec, TransportSpec } from "./server-spec.ts";

const specOf = (transport: TransportSpec): ServerSpec => ({ id: "a", transport });
const of = (transport: TransportSpec): readonly string[] => credentialsOf(specOf(transport));

describe("credentialsOf()", () => {
  it("are values of variables with the name of a secret, and what is secret by its look, and no others", () => {
    const env = { API_KEY: "abc123", NODE_ENV: "production", DB: "postgres://me:p%40ss@db/Shop2025", WORD: "wordword" };
    const args = [
      "--token=tok",
      "--key",
      "kee",
      "Server=db;Password=pwd;Team=blue",
      '{"apiKey": "jsn", "team": "red"}',
    ];
    const found = of({ kind: "stdio", command: "x", args, env });
    expect(found).toEqual(expect.arrayContaining(["abc123", "tok", "kee", "pwd", "jsn", "p%40ss", "p@ss"]));
    for (const plain of ["production", "wordword", "Shop2025", "blue", "red", "me"]) expect(found).not.toContain(plain);
  });

  it("are tokens and headers that carry credentials, as a whole and behind their scheme", () => {
    const headers = { Authorization: "Bearer abcdef", "X-Api-Key": "xyz", "X-Team": "blue" };
    const found = of({
      kind: "http",
      url: "https://u9Xk:pw@a.example.com/mcp?key=k%2Bk&team=red",
      headers,
      bearerToken: "ttt",
    });
    expect(found).toEqual(
      expect.arrayContaining(["Bearer abcdef", "abcdef", "xyz", "ttt", "k%2Bk", "k+k", "pw", "u9Xk"]),
    );
    for (const plain of ["blue", "red"]) expect(found).not.toContain(plain);
  });

  it.each<TransportSpec>([
    { kind: "http", url: "https://a.example.com/mcp?project=production&region=europe-west1" },
    { kind: "http", url: "https://a.example.com/projects/MyProject2/mcp#Part2" },
    {
      kind: "stdio",
      command: "npx -y",
      args: ["https://github.com/acme/Repo_Name2025", "file:///srv/WorkStuff2"],
    },
    { kind: "stdio", command: "x", env: { HOME_URL: "https://a.example.com/Some2/Path3?page=2" } },
  ])("are none where no field is a credential: %j", (transport) => {
    expect([credentialFieldsOf(specOf(transport)), of(transport)]).toEqual([[], []]);
  });
});
