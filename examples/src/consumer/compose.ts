// What a user writes who takes everything at once, compiled and run against the packed packages.
import { createHost, type Conversation, type Host } from "hostside";
import { fixtureServer } from "@hostside/fixtures";

const host: Host = await createHost({ servers: { good: { ...fixtureServer("modern-stdio") } } });
const conversation: Conversation = await host.conversation({ maxToolTokens: 2000 });
try {
  const { content } = await conversation.call("mcp_good_add", { a: 40, b: 2 });
  const [first] = content;
  const answer = first?.type === "text" ? first.text : undefined;
  if (answer !== "42") throw new Error(`unexpected: ${JSON.stringify(content)}`);
} finally {
  await host.close();
}
