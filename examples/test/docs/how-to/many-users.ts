import { consentTo, startAuthorizedServer } from "@hostside/fixtures";
import assert from "node:assert/strict";
import { createHost, type Conversation, type Host } from "hostside";

interface Conversations {
  readonly conversationOf: (host: Host, user: string, id: string) => Promise<Conversation>;
}

interface SignIn {
  readonly startSignIn: (conversation: Conversation, server: string) => Promise<Response>;
  readonly finishSignIn: (host: Host, request: Request, user: string) => Promise<Response>;
}

interface SignOut {
  readonly signOut: (host: Host, server: string, user: string) => Promise<void>;
}

const tool = "mcp_tracker_whoami";
const offers = (conversation: Conversation): boolean => conversation.tools().some(({ name }) => name === tool);

export async function drive(
  { conversationOf }: Conversations,
  { startSignIn, finishSignIn }: SignIn,
  { signOut }: SignOut,
): Promise<void> {
  await using server = await startAuthorizedServer();
  await using host = await createHost({
    servers: { tracker: { url: server.url, auth: "oauth" } },
    pool: {},
    auth: { redirect: "https://product.example/callback", clients: { tracker: { clientId: "desk" } } },
  });
  const ada = await conversationOf(host, "ada", "chat");
  assert.equal(await conversationOf(host, "ada", "chat"), ada);
  const { status, headers } = await startSignIn(ada, "tracker");
  assert.equal(status, 303);
  const { pathname, search } = await consentTo(headers.get("location") ?? "", { user: "grace" });
  // Behind a proxy: another origin than the one that is registered.
  const request = new Request(`http://10.0.0.7:8080${pathname}${search}`);
  assert.equal((await finishSignIn(host, request, "bob")).status, 400);
  const signedIn = offers(ada) ? Promise.resolve() : new Promise<void>((done) => void ada.onToolsChanged(() => done()));
  assert.equal((await finishSignIn(host, request, "ada")).status, 303);
  await signedIn;
  assert.ok(offers(ada));
  assert.ok(!offers(await conversationOf(host, "bob", "chat")));
  await signOut(host, "tracker", "ada");
  assert.deepEqual(
    (await ada.signIns()).map(({ serverId }) => serverId),
    ["tracker"],
  );
}
