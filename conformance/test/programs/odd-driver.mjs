// A driver that is no driver of any host: what it does is its argument.
import { createInterface } from "node:readline";

const [kind] = process.argv.slice(2);
const features = ["stdio", "http", "sse", "legacy", "2026-07-28", "headers", "localNames", "addServer", "removeServer"];
const hello = { protocol: 1, name: "odd", version: "1", features: [...features, "refresh", "cancel", "meta", "stats"] };
const tool = (serverId, remoteName) => ({ name: `${serverId}_${remoteName}`, serverId, remoteName });
let servers = [];

const answers = {
  null: () => ({ ok: true, value: {} }),
  echo: (request) => request,
  // Says what the kit wants to hear, and connects to nothing.
  yes: ({ verb, args, ...request }) => {
    if (verb === "init") servers = request.servers.map(({ id }) => id);
    if (verb === "snapshot") {
      const tools = servers.flatMap((id) => [tool(id, "append"), tool(id, "echo")]);
      return { ok: true, value: { tools, servers: servers.map((id) => ({ id })) } };
    }
    if (verb === "call") return { ok: true, value: { content: [{ type: "text", text: args.text }] } };
    return { ok: true, value: verb === "hello" ? hello : { events: [], children: 0 } };
  },
  no: ({ verb }) => (verb === "hello" ? { ok: true, value: hello } : { ok: false, error: { message: "no" } }),
  "dies-later": ({ verb }) => {
    if (verb === "hello") return { ok: true, value: hello };
    process.stderr.write("out of luck\n");
    process.exit(9);
  },
  misspelt: () => ({ ok: true, value: { ...hello, features: ["stdoi"] } }),
  "other-protocol": () => ({ ok: true, value: { ...hello, protocol: 2 } }),
};

if (kind === "dies") {
  process.stderr.write("no such library\n");
  process.exit(9);
}
if (kind === "rubbish") process.stdout.write("Starting driver...\n");
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = answers[kind]?.(request);
  if (answer !== undefined) process.stdout.write(`${JSON.stringify({ id: request.id, ...answer })}\n`);
}
