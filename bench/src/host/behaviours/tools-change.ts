import { setTimeout as pause } from "node:timers/promises";
import { startFaultServer } from "@hostside/fixtures";
import type { CreateContender } from "../contender.ts";
import { stdioServers } from "../start-servers.ts";
import type { Behaviour } from "./behaviour.ts";
import { outcomeOf, say } from "./outcome-of.ts";
import { stdioSpec, toolNamed } from "./server-lost.ts";

/** Tools come, come in pages, or have the same name. */
export const toolBehaviours: readonly Behaviour[] = [
  { id: "list-changed", title: "`list_changed` and a new tool: who asks again, who has it", run: listChanged },
  { id: "pages", title: "1,000 tools in ten pages: how many are listed", run: pages },
  { id: "same-name", title: "Two servers have a tool `echo`: what a model is given", run: sameName },
];

async function listChanged(create: CreateContender): Promise<string> {
  await using server = await startFaultServer({ transport: "stdio", script: {} });
  const contender = await create();
  await contender.connect([stdioSpec(server)]);
  const echo = await toolNamed(contender, "echo");
  const listings = (): number =>
    server.trace().filter(({ direction, text }) => direction === "in" && text.includes('"tools/list"')).length;
  const before = listings();
  await server.perform([{ type: "change-tools", add: [{ name: "added", inputSchema: { type: "object" } }] }]);
  await server.send({ method: "notifications/tools/list_changed" });
  await pause(1000);
  const byItself = listings() > before;
  const has = async (): Promise<boolean> => (await contender.listTools()).some(({ toolName }) => toolName === "added");
  if (await has()) return byItself ? "asks by itself; has it" : "asks when its tools are read; has it";
  await contender.call(echo, { text: "x" });
  return (await has()) ? "asks with the next call; has it then" : "never has it";
}

async function pages(create: CreateContender): Promise<string> {
  const tool = { name: "tool_{{i}}", inputSchema: { type: "object" } };
  await using server = await startFaultServer({
    transport: "stdio",
    script: { manyTools: { count: 1000, tool }, pageSize: 100 },
  });
  const contender = await create();
  await contender.connect([stdioSpec(server)]);
  const outcome = await outcomeOf(contender.listTools());
  return outcome.kind === "worked" ? `${outcome.value.length}` : say(outcome);
}

async function sameName(create: CreateContender): Promise<string> {
  const contender = await create();
  await contender.connect(stdioServers({ count: 2 }));
  if (contender.modelNames === undefined) return "left to its user";
  const outcome = await outcomeOf(contender.modelNames());
  if (outcome.kind !== "worked") return say(outcome);
  const names = outcome.value;
  const lost = names.length < 2 ? ", one is lost" : "";
  const twice = new Set(names).size < names.length ? ", twice the same" : "";
  return `${names.map((name) => `\`${name}\``).join(", ")}${lost}${twice}`;
}
