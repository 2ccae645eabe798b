import { readFileSync } from "node:fs";
import { serveDriver } from "../dist/host/index.js";

// What a host prints must not come between replies.
const output = { write: process.stdout.write.bind(process.stdout) };
process.stdout.write = process.stderr.write.bind(process.stderr);

// How long a snapshot waits for a host that lists at each turn, before it shows what was listed last.
const turnMs = 1000;

/**
 * Serves one of the peers as a driver. It adds nothing to what the peer does: it neither connects again nor calls again, and what it
 * answers to `snapshot` is what the peer listed last.
 *
 * @typedef {import("../dist/host/index.js").DriverServer} DriverServer
 * @typedef {{ remoteName: string, name?: string }} Tool `name` where the peer makes names for models.
 * @typedef {ReadonlyMap<string, readonly Tool[]>} Lists What was listed, by server.
 * @typedef {{ remoteName: string, name: string, serverId: string, args: object, meta?: object, timeoutMs: number, signal: AbortSignal }} Call
 *
 * @typedef {object} Host A host with a client for each server has `add`, `remove` and `listOne`, one with a client for all `start` and `listAll`.
 * @property {(server: DriverServer) => Promise<void>} [add]
 * @property {(serverId: string) => Promise<void>} [remove]
 * @property {(serverId: string) => Promise<readonly Tool[]>} [listOne]
 * @property {(servers: readonly DriverServer[]) => Promise<void>} [start] A server that fails fails no other.
 * @property {() => Promise<Lists>} [listAll] Without the servers that failed.
 * @property {(lists: Lists) => Promise<Lists>} [named] Gives the tools of all servers the names that models get.
 * @property {(call: Call) => Promise<{ content: readonly object[], structuredContent?: object, isError?: boolean }>} call
 * @property {() => Promise<void>} close
 *
 * @param {object} peer
 * @param {string} peer.name The name of its package.
 * @param {readonly string[]} peer.features
 * @param {boolean} [peer.listsAtEachTurn] `true`: an agent lists the tools whenever it begins a turn, so that a snapshot lists.
 * @param {(changed: (serverId?: string) => void) => Host} peer.create `changed`: the peer says that tools are others now.
 */
export async function servePeer({ name, features, listsAtEachTurn = false, create }) {
  /** @type {ReturnType<typeof hold> | undefined} */
  let held;
  /** @type {Map<string, AbortController>} */
  const calls = new Map();

  await serveDriver({
    output,
    hello: { name, version: installed(name), features },
    host: {
      async init({ servers }) {
        held = hold(create);
        await held.init(servers);
        return {};
      },
      async addServer({ spec }) {
        await held.add(spec);
        return {};
      },
      async removeServer({ serverId }) {
        await held.remove(serverId);
        return {};
      },
      async snapshot() {
        if (listsAtEachTurn) await Promise.race([held.list(), pause(turnMs)]);
        return held.snapshot();
      },
      async call({ callId, name: wanted, args, timeoutMs, meta }) {
        const controller = new AbortController();
        calls.set(callId, controller);
        // What every peer takes for a call's deadline, if nothing else: a signal.
        const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
        try {
          const { signal } = controller;
          return resultOf(await held.call(wanted, { args, timeoutMs, signal, ...(meta && { meta }) }));
        } finally {
          clearTimeout(timer);
          calls.delete(callId);
        }
      },
      cancel({ callId }) {
        calls.get(callId)?.abort();
        return {};
      },
      async refresh() {
        await held.list();
        return {};
      },
      events: () => ({ events: [] }),
      async close() {
        const own = held;
        held = undefined;
        await own?.close();
        return {};
      },
    },
  });
}

/** One host, and what it listed last. */
function hold(create) {
  /** @type {Map<string, { tools: readonly Tool[], error?: string }>} */
  const servers = new Map();
  const listOnce = createListings();
  const host = create(
    (serverId) => void (serverId === undefined ? list() : listOnce(serverId, () => readOne(serverId))),
  );

  async function readOne(id) {
    const tools = await host.listOne(id);
    if (servers.has(id)) servers.set(id, { tools });
  }

  async function readAll() {
    for (const [id, tools] of await host.listAll()) if (servers.has(id)) servers.set(id, { tools });
  }

  async function list() {
    if (host.listAll !== undefined) return listOnce("all servers", readAll);
    await Promise.all(Array.from(servers.keys(), (id) => listOnce(id, () => readOne(id))));
  }

  async function add(server) {
    servers.set(server.id, { tools: [] });
    await host.add(server);
    const tools = await host.listOne(server.id);
    if (servers.has(server.id)) servers.set(server.id, { tools });
  }

  async function remove(id) {
    servers.delete(id);
    await host.remove(id);
  }

  async function named() {
    const lists = new Map(Array.from(servers, ([id, { tools }]) => [id, tools]));
    const all = Array.from((await host.named?.(lists)) ?? lists);
    return all.flatMap(([serverId, tools]) =>
      tools.map(({ remoteName, name = `${serverId}/${remoteName}` }) => ({ serverId, remoteName, name })),
    );
  }

  return {
    async init(given) {
      for (const { id } of given) servers.set(id, { tools: [] });
      if (host.add === undefined) {
        await host.start(given);
        return list();
      }
      const fail = (id, error) => servers.has(id) && servers.set(id, { tools: [], error: String(error) });
      await Promise.all(given.map((server) => add(server).catch((error) => fail(server.id, error))));
    },
    list,
    remove,
    async add(server) {
      try {
        await add(server);
      } catch (error) {
        await remove(server.id);
        throw error;
      }
    },
    snapshot: async () => ({
      tools: await named(),
      servers: Array.from(servers, ([id, { error }]) => ({ id, ...(error !== undefined && { error }) })),
    }),
    async call(wanted, call) {
      const tool = (await named()).find(({ name }) => name === wanted);
      if (tool === undefined) throw new Error(`no tool ${wanted}`);
      return host.call({ ...tool, ...call });
    },
    async close() {
      servers.clear();
      await host.close();
    },
  };
}

/** At most one listing of a kind runs, and at most one more is due. What was listed last stays when one fails. */
function createListings() {
  /** @type {Map<string, { running: Promise<void>, due: boolean }>} */
  const listings = new Map();

  async function run(key, read) {
    do {
      listings.get(key).due = false;
      await read().catch(() => {});
    } while (listings.get(key).due);
    listings.delete(key);
  }

  return (key, read) => {
    const listing = listings.get(key);
    if (listing !== undefined) {
      listing.due = true;
      return listing.running;
    }
    const own = { due: false, running: Promise.resolve() };
    listings.set(key, own);
    own.running = run(key, read);
    return own.running;
  };
}

function resultOf({ content, structuredContent, isError }) {
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError }),
  };
}

/** The version of a package as it is installed in this folder. */
function installed(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
