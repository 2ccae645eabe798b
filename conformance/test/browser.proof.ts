import { startAuthorizedServer } from "@hostside/fixtures";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { expect, it } from "vitest";
import { findChromium } from "../../test/find-chromium.ts";

const kit = fileURLToPath(new URL("../bin/hostside-conformance.js", import.meta.url));
const { executablePath = "", why, args } = findChromium();

it.skipIf(why !== "")(
  `the kit checks a server that a user signs in to on its pages, with a real browser${why}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostside-kit-browser-"));
    const context = await chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath,
      headless: true,
      args: [...args],
    });
    try {
      await using server = await startAuthorizedServer();
      const report = join(folder, "report.json");
      const page = await context.newPage();
      const { code, said } = await checkAsUser(["--url", server.url, "--json", report], page);
      expect([code, said]).toEqual([0, expect.stringContaining("open this page in a browser")]);
      expect(await page.locator("body").innerText()).toContain(`Signed in to ${new URL(server.url).host}`);
      const text = await readFile(report, "utf8");
      const { results } = JSON.parse(text) as {
        results: { check: { id: string }; finding: { status: string } }[];
      };
      const statusOf = (id: string): string | undefined => results.find(({ check }) => check.id === id)?.finding.status;
      expect(["lifecycle/initialize", "tools/schema-compiles"].map(statusOf)).toEqual(["pass", "pass"]);
      const about = results.filter(({ check }) => check.id.startsWith("auth/"));
      expect(about.filter(({ finding }) => finding.status === "fail")).toEqual([]);
      expect(about.filter(({ finding }) => finding.status === "pass").length).toBeGreaterThan(8);
      for (const secret of await server.secrets()) expect(`${said}${text}`).not.toContain(secret);
    } finally {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

/** Runs the kit as its user does: where it says a page, somebody signs in there. */
async function checkAsUser(options: readonly string[], page: Page): Promise<{ code: unknown; said: string }> {
  // Without a display nobody would see a page that it opens.
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const child = spawn(process.execPath, [kit, "server", "--oauth", "--no-preview", ...options], {
    env: { ...env, SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" },
  });
  let said = "";
  let shown = "";
  let signingIn: Promise<void> | undefined;
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    const [, url] = /(http:\S+\?\S+)\n/.exec(said) ?? [];
    if (url === undefined || signingIn !== undefined) return;
    shown = url;
    signingIn = signIn(page, url);
  });
  try {
    const [code] = (await once(child, "close")) as unknown[];
    await signingIn;
    // What is in the address of the page is for the user.
    return { code, said: said.replace(shown, "") };
  } finally {
    child.kill();
  }
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByPlaceholder("Enter any login").fill("grace");
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click({ noWaitAfter: true });
}
