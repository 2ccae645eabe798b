import { consentTo, knownClients, startAuthorizedServer } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { createHost } from "hostside";
import { createTemporaryFolder } from "./temporary-folder.ts";

it("signs in as the client that a file names, behind those of the product, and by the tool that a model gets", async () => {
  await using server = await startAuthorizedServer();
  const folder = createTemporaryFolder();
  const entry = { type: "http", url: server.url };
  const office = { clientId: knownClients.office.clientId, clientSecret: "${OFFICE_SECRET}" };
  const config = folder.write("hostside.json", {
    servers: { filed: { ...entry, oauth: office }, own: { ...entry, oauth: office } },
  });
  const pages: string[] = [];
  await using host = await createHost({
    config: { files: [config], watch: false, env: { OFFICE_SECRET: knownClients.office.clientSecret } },
    authenticateTools: true,
    auth: {
      clients: { own: knownClients.desk },
      async prompt({ serverId, url }) {
        pages.push(serverId);
        void fetch(await consentTo(url)).catch(() => undefined);
        return "completed";
      },
    },
  });
  expect(host.statuses().map(({ id, state }) => `${id} ${state}`)).toEqual(["filed needs-auth", "own needs-auth"]);
  expect(pages).toEqual([]);
  const conversation = await host.conversation();
  const found: unknown[] = [];
  for (const id of ["filed", "own"]) {
    const tool = conversation.tools().find(({ name }) => name.includes("authenticate") && name.includes(id));
    expect(await conversation.call(tool?.name ?? "")).toMatchObject({ isError: false });
    const { content } = await conversation.call(`mcp_${id}_whoami`);
    found.push(content);
  }
  expect(pages).toEqual(["filed", "own"]);
  expect(found).toMatchObject([
    [{ text: expect.stringContaining('"clientId":"office"') }],
    [{ text: expect.stringContaining('"clientId":"desk"') }],
  ]);
  expect(host.tools().filter(({ name }) => name.includes("authenticate"))).toEqual([]);
});

it.each(["redirect", "listener"])("takes a prompt that throws for the end of a sign-in (%s)", async (way) => {
  await using server = await startAuthorizedServer();
  const pages: URL[] = [];
  await using host = await createHost({
    servers: { wiki: { url: server.url, oauth: knownClients.desk } },
    authenticateTools: true,
    auth: {
      ...(way === "redirect" && { redirect: "https://product.example/callback" }),
      async prompt({ url }) {
        pages.push(url);
        throw new Error("not in this product");
      },
    },
  });
  const conversation = await host.conversation();
  const tool = conversation.tools().find(({ name }) => name.includes("authenticate"));
  const outcome = await conversation.call(tool?.name ?? "");
  expect(outcome).toMatchObject({ isError: true });
  expect(JSON.stringify(outcome)).toContain("did not show the authorization page: not in this product");
  const [page] = pages;
  expect(pages).toHaveLength(1);
  expect(JSON.stringify(outcome)).not.toMatch(/https?:|state=/);
  // Nobody listens for an answer any more, so that whoever knows the page signs nobody in.
  const callback = new URL(page?.searchParams.get("redirect_uri") ?? "");
  callback.search = `?code=c&state=${page?.searchParams.get("state")}`;
  const isHeard =
    way === "listener" &&
    (await fetch(callback).then(
      () => true,
      () => false,
    ));
  expect(isHeard).toBe(false);
  await expect(host.oauth?.complete(callback)).rejects.toMatchObject({ code: "auth_required" });
  expect(host.statuses()).toMatchObject([{ state: "needs-auth" }]);
});
