import { startAuthorizedServer } from "@hostside/fixtures";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { findChromium } from "../../../../test/find-chromium.ts";
import { serverId, startHost, whoami } from "./signing-host.ts";

// The one thing that `consentTo` cannot stand for: a real browser on the pages, cookies and
// redirects of the flow. Part of `pnpm proof browser`.

const { executablePath = "", why, args } = findChromium();

it.skipIf(why !== "")(
  `a user signs in with a real browser, from the prompt's URL to the page that names the server${why}`,
  async () => {
    const profile = await mkdtemp(join(tmpdir(), "hostside-browser-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      args: [...args],
    });
    try {
      await using server = await startAuthorizedServer();
      const page = await context.newPage();
      await using host = startHost(server, {
        async prompt({ url }) {
          await page.goto(url.href);
          await page.getByPlaceholder("Enter any login").fill("grace");
          await page.getByPlaceholder("and password").fill("any");
          await page.getByRole("button", { name: "Sign-in" }).click();
          await page.getByRole("button", { name: "Continue" }).click({ noWaitAfter: true });
          return "completed";
        },
      });
      await host.oauth.authorize(host.spec);
      await page.getByText("My notes").first().waitFor();
      const screenshot = process.env["HOSTSIDE_SCREENSHOT"];
      if (screenshot !== undefined) await page.screenshot({ path: screenshot });
      expect(new URL(page.url()).hostname).toBe("127.0.0.1");
      expect(await page.locator("body").innerText()).toMatch(/My notes[^]*close/i);
      expect(await page.locator("script").count()).toBe(0);
      const provider = host.providerFor();
      await provider.init();
      expect(provider.statuses()).toMatchObject([{ id: serverId, state: "ready" }]);
      expect(await whoami(provider)).toMatchObject({ user: "grace" });
    } finally {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    }
  },
);
