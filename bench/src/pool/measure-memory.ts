// Prints what a conversation over eight shared servers costs, in bytes of live heap:
// `node --expose-gc measure-memory.js <way> <conversations>`.
import { createToolbox } from "@hostside/discovery";
import { createHost } from "hostside";
import { heapMb } from "../host/heap.ts";
import { echoOf, openSharedStage, type SharedStage } from "./shared-stage.ts";

/**
 * What a conversation is made of; what it returns is held for as long as the conversation is there.
 */
type Way = (stage: SharedStage) => Promise<(id: string) => Promise<unknown>>;

const ways: Readonly<Record<string, Way>> = {
  view: async (stage) => async (id) => {
    const lease = await stage.shared.lease({ conversation: id, principal: `of ${id}` });
    const view = stage.viewOf(id);
    await view.call(echoOf(0), { text: id });
    return { lease, view, offered: view.tools() };
  },
  toolbox: async (stage) => async (id) => {
    const lease = await stage.shared.lease({ conversation: id, principal: `of ${id}` });
    const toolbox = createToolbox({ providers: lease.providers });
    await toolbox.call(echoOf(0), { text: id }, { context: { conversation: id } });
    return { lease, toolbox, offered: toolbox.tools() };
  },
  facade: async ({ servers }) => {
    const entries = Object.fromEntries(servers.map(({ id, ...entry }) => [id, entry]));
    const host = await createHost({ servers: entries, pool: {} });
    return async (id) => {
      const conversation = await host.conversation({ id, principal: `of ${id}` });
      await conversation.call(echoOf(0), { text: id });
      return { host, conversation, offered: conversation.tools() };
    };
  },
};

const [, , name = "", count = "1000"] = process.argv;
const way = ways[name];
if (way === undefined) throw new TypeError(`no such way: ${name}`);
const stage = await openSharedStage();
const open = await way(stage);
const held: unknown[] = [];
// What the first ones load and compile is not what one more costs.
for (let index = 0; index < 200; index += 1) await open(`warm ${index}`);
const before = heapMb();
for (let index = 0; index < Number(count); index += 1) held.push(await open(`conversation ${index}`));
const bytes = ((heapMb() - before) * 1e6) / held.length;
process.stdout.write(JSON.stringify({ bytes, beforeMb: before }));
process.exit(0);
