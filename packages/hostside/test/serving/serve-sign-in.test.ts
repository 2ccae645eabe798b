import { consentTo, startAuthorizedServer } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { createWorkFolder } from "../terminal/work-folder.ts";
import { startServed } from "./served-process.ts";

it("offers a tool for a sign-in, whose answer is the page to open, and then the server's own tools", async () => {
  await using authorized = await startAuthorizedServer();
  await using work = await createWorkFolder();
  await work.write({ "hostside.json": { servers: { notes: { type: "http", url: authorized.url } } } });
  const args = ["--config", "hostside.json", "serve", "--expose", "all"];
  await using served = await startServed(work, args);
  const [name = ""] = await served.untilTools((names) => names.length === 1);
  const { content } = await served.client.callTool({ name });
  const text = (content as { text: string }[])[0]?.text ?? "";
  const [page = ""] = /https?:\/\/\S+?\/auth\?[^\s"]+/.exec(text) ?? [];
  expect(page.startsWith(authorized.issuer), text).toBe(true);
  await fetch(await consentTo(page));
  const names = await served.untilTools((now) => !now.includes(name) && now.length > 0);
  expect(names.every((one) => one.startsWith("mcp_notes_"))).toBe(true);

  // Signing in changes something.
  await using reading = await startServed(work, [...args, "--read-only"]);
  expect(await reading.tools()).not.toContain(name);
});
