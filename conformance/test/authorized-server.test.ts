import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knownClients, startAuthorizedServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runKit } from "./run-kit.ts";

const { clientId, clientSecret } = knownClients.robot;

describe("a server behind OAuth", () => {
  let server: Awaited<ReturnType<typeof startAuthorizedServer>>;
  beforeAll(async () => {
    server = await startAuthorizedServer();
    process.env["KIT_TEST_SECRET"] = clientSecret;
    process.env["KIT_TEST_TOKEN"] = "not-a-token-4f0b";
  });
  afterAll(async () => {
    delete process.env["KIT_TEST_SECRET"];
    delete process.env["KIT_TEST_TOKEN"];
    await server.close();
  });
  const check = (...options: readonly string[]): ReturnType<typeof runKit> =>
    runKit([
      "server",
      "--url",
      server.url,
      "--no-preview",
      "--only",
      "auth",
      "--only",
      "lifecycle/initialize",
      ...options,
    ]);
  const program = ["--oauth-client", clientId, "--oauth-secret-env", "KIT_TEST_SECRET"];

  it("is looked at without credentials as far as that goes, with exit code 5", async () => {
    const { code, out } = await check();
    expect(code).toBe(5);
    expect(out).toContain("The server asks for credentials");
  });

  it("is checked as a program that signs in, and no credential is printed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostside-report-"));
    const json = join(folder, "report.json");
    const { code, err, out } = await check(...program, "--call", "admin", "--oauth-scope", "mcp:use", "--json", json);
    expect([code, err]).toEqual([0, expect.not.stringContaining("failed")]);
    const report = await readFile(json, "utf8");
    await rm(folder, { recursive: true });
    const { results } = JSON.parse(report) as { results: { check: { id: string }; finding: { status: string } }[] };
    const statuses = results.filter(({ check: { id } }) => id.startsWith("auth/")).map(({ finding }) => finding.status);
    // Without those about keys: its tokens are bound to none.
    expect(statuses.toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => "not-applicable"),
      ...Array.from({ length: 11 }, () => "pass"),
    ]);
    for (const secret of [clientSecret, ...(await server.secrets())])
      expect(`${out}${err}${report}`).not.toContain(secret);
  });

  it.each(["required", "required-with-nonce"] as const)("is checked with a key where DPoP is %s", async (dpop) => {
    await using bound = await startAuthorizedServer({ dpop });
    const only = ["--only", "auth/dpop-proof", "--only", "auth/dpop-elsewhere", "--only", "lifecycle"];
    const { code, out } = await runKit(["server", "--url", bound.url, "--no-preview", ...only, ...program]);
    expect([code, out]).toEqual([0, expect.stringContaining("auth       ✓✓  2 checks")]);
  });

  it.each([
    [
      "a secret that is not there",
      ["--oauth-client", clientId, "--oauth-secret-env", "KIT_TEST_NOTHING"],
      "is not set",
    ],
    ["a secret of nobody", ["--oauth-secret-env", "KIT_TEST_SECRET"], "--oauth-client"],
    ["two ways", ["--oauth", "--token-env", "KIT_TEST_TOKEN"], "either"],
    [
      "a client that is not known",
      ["--oauth-client", "nobody", "--oauth-secret-env", "KIT_TEST_SECRET"],
      "cannot sign in",
    ],
  ])("tells a mistake in one line: %s", async (_, options, hint) => {
    const { code, err } = await check(...options);
    expect([code, err]).toEqual([2, expect.stringContaining(hint)]);
    expect(err).not.toContain(clientSecret);
  });

  it("says that a token is not accepted, and does not print it", async () => {
    const { code, out, err } = await check("--token-env", "KIT_TEST_TOKEN");
    expect(code).toBe(5);
    expect(out).toContain("does not accept");
    expect(`${out}${err}`).not.toContain("not-a-token-4f0b");
  });
});
