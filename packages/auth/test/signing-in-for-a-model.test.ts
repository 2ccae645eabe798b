import type { ToolProvider } from "@hostside/core";
import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createAuthenticateTools, createOAuth } from "../src/index.ts";
import { loopbackRedirect, terminalPrompt } from "../src/node.ts";
import type { OAuthOptions, OAuthPrompt } from "../src/oauth-options.ts";
import { visit, type Reply } from "./ask-listener.ts";
import { namesOf, textOf } from "./authenticate-world.ts";

let server: AuthorizedServer;
beforeAll(async () => {
  server = await startAuthorizedServer();
});
beforeEach(() => server.control({ reset: true, clearLog: true }));
afterAll(() => server.close());

async function start(
  options: Partial<OAuthOptions>,
): Promise<{ readonly provider: McpProvider; readonly tools: ToolProvider }> {
  const oauth = createOAuth({ redirect: loopbackRedirect(), ...options });
  const connector = createConnector({ authProvider: oauth.authProvider });
  const transport = { type: "http", url: server.url, auth: "oauth" } as const;
  const provider = createProvider({ connector, servers: [{ id: "wiki", title: "The Wiki", ...transport }] });
  const tools = createAuthenticateTools({ oauth, provider });
  onTestFinished(async () => {
    await Promise.all([provider.close(), oauth.close()]);
  });
  await provider.init();
  expect(namesOf(tools)).toEqual(["mcp_wiki_authenticate"]);
  return { provider, tools };
}

/** A user whose browser opens what it is given, and what that user is shown in the end. */
function createUser(deny = false): { readonly prompt: OAuthPrompt; readonly pages: Promise<Reply>[] } {
  const pages: Promise<Reply>[] = [];
  const prompt: OAuthPrompt = async ({ url }) => {
    pages.push(visit((await consentTo(url, { deny })).href));
    return "completed";
  };
  return { prompt, pages };
}

describe("a model that asks for a sign-in, with real servers", () => {
  it("gets the tools when the user has signed in, whose page says so", async () => {
    const { prompt, pages } = createUser();
    const { provider, tools } = await start({ prompt });
    const outcome = await tools.call("mcp_wiki_authenticate", {});
    expect(textOf(outcome)).toMatch(/^The user is signed in to "The Wiki"\. Its tools are available now:\n- mcp_wiki_/);
    expect(outcome.isError).toBe(false);
    expect((await pages[0])?.text).toContain("<h1>Signed in to The Wiki</h1>");
    expect(namesOf(tools)).toEqual([]);
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    const shown = textOf(outcome) + (await pages[0])?.text;
    for (const secret of await server.secrets()) expect(shown).not.toContain(secret);
  });

  it("reads that the user said no, and so does the user", async () => {
    const { prompt, pages } = createUser(true);
    const { tools } = await start({ prompt });
    const outcome = await tools.call("mcp_wiki_authenticate", {});
    expect(outcome.isError).toBe(true);
    expect(textOf(outcome)).toContain('The user is not signed in to "The Wiki"');
    expect((await pages[0])?.text).toContain("<h1>Not signed in to The Wiki</h1>");
    expect(namesOf(tools)).toEqual(["mcp_wiki_authenticate"]);
  });

  it("shows the user the URL where the host only listens, and gets the tools when they come back", async () => {
    const { provider, tools } = await start({});
    const url = textOf(await tools.call("mcp_wiki_authenticate")).split("\n")[1] ?? "";
    const came = new Promise((resolve) => provider.onToolsChanged(resolve));
    const page = visit((await consentTo(url)).href);
    await came;
    expect((await page).text).toContain("Signed in to The Wiki");
    expect(namesOf(tools)).toEqual([]);
  });

  it("gets them when a user pastes the URL from a browser on another machine", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { tools } = await start({ prompt: terminalPrompt({ input, output, open: false }) });
    const call = tools.call("mcp_wiki_authenticate");
    const [written] = (await once(output, "data")) as [Buffer];
    const url = /https?:\S+/.exec(written.toString())?.[0] ?? "";
    input.write(`${(await consentTo(url)).href}\n`);
    expect(textOf(await call)).toContain("- mcp_wiki_");
  });
});
