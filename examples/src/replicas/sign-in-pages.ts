// The pages by which the users of a web app sign in to servers. Any replica answers any of them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Conversation, Host } from "hostside";

/** Who sent a request, as the session of the product says. */
export type UserOf = (request: IncomingMessage) => string;

/** Serves `GET /tools`, `GET /sign-in/<server>`, and the redirect URI, `GET /callback`. */
export function createSignInPages(host: Host, userOf: UserOf): Server {
  const conversations = new Map<string, Promise<Conversation>>();
  const conversationOf = (user: string): Promise<Conversation> => {
    const open = conversations.get(user) ?? host.conversation({ id: user, principal: user });
    conversations.set(user, open);
    open.catch(() => conversations.delete(user));
    return open;
  };
  return createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { location, body = null } = await answer(request);
      if (location !== undefined) response.writeHead(303, { location });
      response.end(JSON.stringify(body));
    } catch (error) {
      const { code = "bad_request", message = "" } = Object(error) as { code?: string; message?: string };
      response.writeHead(code === "auth_required" ? 403 : 400).end(JSON.stringify({ code, message }));
    }
  }

  async function answer(request: IncomingMessage): Promise<{ readonly location?: string; readonly body?: unknown }> {
    const { url = "/" } = request;
    const user = userOf(request);
    const [, page, serverId] = new URL(url, "http://localhost").pathname.split("/");
    if (page === "callback") {
      // Path and query are enough, whatever proxy is in front. The user of the session has to be
      // who began.
      await host.oauth?.complete(url, { principal: user });
      return { location: "/tools" };
    }
    const conversation = await conversationOf(user);
    const signIns = await conversation.signIns();
    if (page === "sign-in") {
      const begun = await signIns.find((one) => one.serverId === serverId)?.begin();
      return { location: begun?.url.href ?? "/tools" };
    }
    const tools = conversation.tools().map(({ name }) => name);
    return { body: { tools, signIns: signIns.map(({ serverId: id, title }) => ({ id, title })) } };
  }
}
