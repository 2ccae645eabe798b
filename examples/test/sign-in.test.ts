import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { execaNode } from "execa";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

interface Run {
  readonly stdout: string;
  readonly pages: readonly string[];
}

/** Runs the program as built, at the home of a user who consents to what it shows. */
async function signIn({ url, issuer }: AuthorizedServer, home: string): Promise<Run> {
  const program = resolve(import.meta.dirname, "../dist/sign-in.js");
  // Without a display, as over SSH: no browser opens.
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LOCALAPPDATA: home };
  const child = execaNode(program, [url], { env, extendEnv: false, nodeOptions: [], timeout: 30_000 });
  const pages: string[] = [];
  const visits: Promise<unknown>[] = [];
  for await (const line of child.iterable({ from: "stderr" })) {
    if (!line.trim().startsWith(`${issuer}/auth?`)) continue;
    pages.push(line.trim());
    visits.push(visit(line.trim()));
  }
  await Promise.all(visits);
  return { stdout: (await child).stdout, pages };
}

async function visit(page: string): Promise<void> {
  await fetch(await consentTo(page));
}

it("the example signs in once; the next process is in already, and each ends by itself", async () => {
  await using server = await startAuthorizedServer();
  const home = await mkdtemp(join(tmpdir(), "hostside-sign-in-example-"));
  try {
    const first = await signIn(server, home);
    expect(first.pages).toHaveLength(1);
    expect(first.stdout).toContain("whoami");
    const second = await signIn(server, home);
    expect(second.pages).toHaveLength(0);
    expect(second.stdout).toContain("whoami");
  } finally {
    await rm(home, { recursive: true });
  }
});
