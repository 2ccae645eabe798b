// One replica of a product with many users: what it shares with the others is in a Redis or a
// Postgres. Started as often as there is to be one: STATE_URL=redis://127.0.0.1:6379 PORT=8080 node
// replica.ts
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createSharedServers, createHost, type Conversation } from "hostside";
import { openState } from "./open-state.ts";

const { STATE_URL = "redis://127.0.0.1:6379", SIGN_IN_KEY, PORT = "8080" } = process.env;

const state = await openState(STATE_URL);
const { shared } = state;
const sharedServers = createSharedServers(shared);
const host = await createHost({
  state: {
    ...shared,
    ...(SIGN_IN_KEY !== undefined && { keys: [{ id: "first", key: SIGN_IN_KEY }] }),
  },
  sharedServers,
  pool: {},
  policy: { limits: [{ per: "principal", budget: { calls: 20, perMs: 3_600_000 } }] },
  onDiagnostic: ({ kind, message }) => void process.stderr.write(`${kind} ${message}\n`),
});

/**
 * Those that are open. A conversation is so until somebody closes it, so that none is opened for
 * each request.
 */
const conversations = new Map<string, Promise<Conversation>>();

function conversationOf(principal: string, id: string): Promise<Conversation> {
  const key = JSON.stringify([principal, id]);
  const known = conversations.get(key);
  if (known !== undefined) return known;
  const opening = host.conversation({ id, principal });
  conversations.set(key, opening);
  opening.catch(() => conversations.delete(key));
  return opening;
}

/**
 * Its user is done with it: what was kept for it, and its own connections, are not needed any more.
 */
async function endConversation(principal: string, id: string): Promise<void> {
  const key = JSON.stringify([principal, id]);
  const open = await conversations.get(key);
  conversations.delete(key);
  await open?.close();
}

/**
 * What a request wants of the product. Its user is whoever the product knows it to be: here,
 * whoever it says.
 */
async function answer(request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://replica");
  const body = request.method === "PUT" || request.method === "POST" ? await readJson(request) : undefined;
  if (pathname === "/servers" && request.method === "PUT") return sharedServers.write(body as never);
  if (pathname === "/servers") return host.statuses().map(({ id, state }) => ({ id, state }));
  const [id, principal] = [searchParams.get("conversation") ?? "1", searchParams.get("user") ?? "nobody"];
  if (request.method === "DELETE") return endConversation(principal, id);
  const conversation = await conversationOf(principal, id);
  if (pathname === "/tools") return conversation.tools().map(({ name }) => name);
  const { tool, args } = body as { readonly tool: string; readonly args?: unknown };
  return (await conversation.call(tool, args)).content;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += String(part);
  return JSON.parse(text);
}

const server = createServer((request, response) => {
  answer(request).then(
    (found) => response.end(JSON.stringify(found ?? null)),
    (error: unknown) => {
      const { code = "bad_request", message = "" } = Object(error) as { code?: string; message?: string };
      response.writeHead(code === "bad_request" ? 400 : 409).end(JSON.stringify({ code, message }));
    },
  );
});
server.listen(Number(PORT));
await once(server, "listening");
const address = server.address();
process.stdout.write(`listening on ${typeof address === "object" ? address?.port : address}\n`);

await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
server.close();
server.closeAllConnections();
await host.close();
await state.close();
