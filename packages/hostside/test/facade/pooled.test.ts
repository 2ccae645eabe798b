import type { Connector, ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createSharedServers, createHost, type HostOptions } from "hostside";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { byName } from "./by-name.ts";

const spec = (id: string, sharing: ServerSpec["sharing"]): ServerSpec => ({
  id,
  sharing,
  type: "stdio",
  command: "x",
});
const servers = [spec("docs", "shared"), spec("mail", "principal"), spec("notes", "conversation")];

/** A connector that counts the connections of each server that are open, and all that were. */
function countingConnector(): Connector & { readonly open: string[]; readonly made: string[] } {
  const inner = createFakeConnector();
  const open: string[] = [];
  const made: string[] = [];
  return {
    ...inner,
    open,
    made,
    async connect(given, hooks, signal) {
      const connection = await inner.connect(given, hooks, signal);
      open.push(given.id);
      made.push(given.id);
      let isOpen = true;
      return {
        ...connection,
        async close(...reason) {
          if (isOpen) open.splice(open.indexOf(given.id), 1);
          isOpen = false;
          return connection.close(...reason);
        },
      };
    },
  };
}

const namesOf = (offered: { tools(): readonly { readonly name: string }[] }): readonly string[] =>
  offered
    .tools()
    .flatMap(({ name }) => (name.startsWith("mcp_") ? [name] : []))
    .toSorted();
const all = ["mcp_docs_echo", "mcp_mail_echo", "mcp_notes_echo"];

/**
 * Every connection is made when it is wanted: what servers listed before is in `catalogs.test.ts`.
 */
async function open(more: HostOptions = {}) {
  const connector = countingConnector();
  const host = await createHost({ connector, servers: byName(servers), pool: {}, savedCatalogs: false, ...more });
  return { connector, host };
}

describe("conversations kept apart", () => {
  it.each<[object, RegExp]>([
    [{ id: "1", principle: "ada" }, /^conversation\(\) has no option "principle"/],
    [{ id: 42 }, /^id of conversation\(\) must be a text, not a number$/],
    [{ principal: null }, /^principal of conversation\(\) must be a text, not null$/],
    [{ principal: "ada", context: { principal: "bob" } }, /conversation\(\) must be the same/],
  ])("are opened for nobody by options that are wrong: %j", async (options, message) => {
    const { connector, host } = await open();
    const before = connector.made.length;
    await expect(host.conversation(options)).rejects.toThrow(message);
    expect(connector.made).toHaveLength(before);
    await host.close();
  });

  it("have what all share, what is their principal's, and what is their own", async () => {
    const { connector, host } = await open();
    expect(namesOf(host)).toEqual(["mcp_docs_echo"]);
    const [a1, a2, b1] = [
      await host.conversation({ id: "1", principal: "ada" }),
      await host.conversation({ id: "2", context: { principal: "ada" } }),
      await host.conversation({ id: "1", principal: "bob" }),
    ];
    for (const one of [a1, a2, b1]) expect(namesOf(one)).toEqual(all);
    expect(connector.open.toSorted()).toEqual(["docs", "mail", "mail", "notes", "notes", "notes"]);
    expect(await a2.call("mcp_notes_echo")).toMatchObject({ content: [{ text: "notes did echo" }] });
    expect(a2.context).toMatchObject({ principal: "ada", conversation: "2" });
    expect(host.pool?.statuses()).toHaveLength(5);
    await a1.close();
    await expect(a1.call("mcp_docs_echo")).rejects.toMatchObject({ code: "closed" });
    expect(await b1.call("mcp_notes_echo")).toMatchObject({ isError: false });
    await host.close();
    expect(connector.open).toEqual([]);
  });

  it("end the connections that were a conversation's own when it is closed, and nobody else's", async () => {
    const { connector, host } = await open();
    const [one, other] = [await host.conversation({ id: "1" }), await host.conversation({ id: "2" })];
    const ended = new Promise((resolve) => host.pool?.onEvent((event) => event.type === "ended" && resolve(event)));
    await one.close();
    expect(await ended).toMatchObject({ sharing: "conversation", conversation: "1", why: "disposed" });
    expect(connector.open.toSorted()).toEqual(["docs", "mail", "notes"]);
    expect(await other.call("mcp_notes_echo")).toMatchObject({ isError: false });
    await host.close();
  });

  it("cost no connection while nobody uses them, show their tools, and have them again with the next call", async () => {
    const clock = useVirtualClock();
    const { connector, host } = await open({ pool: { ttlMs: 1000 } });
    const one = await host.conversation({ id: "1", principal: "ada" });
    const definition = one.tools().find(({ name }) => name === "mcp_notes_echo");
    const ended = new Promise<void>((resolve) => {
      let left = 2;
      host.pool?.onEvent(({ type }) => type === "ended" && (left -= 1) === 0 && resolve());
    });
    for (let tick = 0; tick < 12; tick += 1) {
      clock.advance(100);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await ended;
    expect(connector.open).toEqual(["docs"]);
    expect(namesOf(one)).toEqual(all);
    expect(await one.call("mcp_notes_echo", {}, { selected: definition })).toMatchObject({ isError: false });
    expect(connector.open.toSorted()).toEqual(["docs", "mail", "notes"]);
    expect(connector.made).toHaveLength(5);
    await host.close();
    expect(connector.open).toEqual([]);
  });

  it("look at one toolbox where all share everything", async () => {
    const { connector, host } = await open({ servers: byName([spec("docs", "shared")]) });
    const opened = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => host.conversation({ principal: `p${index}` })),
    );
    expect(new Set(opened.map((one) => one.tools()[0])).size).toBe(1);
    expect(namesOf(await host.conversation())).toEqual(["mcp_docs_echo"]);
    expect(connector.made).toEqual(["docs"]);
    await host.close();
  });

  it("are written the same without pool", async () => {
    const { connector, host: plain } = await open({ pool: undefined });
    expect(namesOf(await plain.conversation({ principal: "ada" }))).toEqual(all);
    expect(plain.pool).toBeUndefined();
    expect(connector.made.toSorted()).toEqual(["docs", "mail", "notes"]);
    await plain.close();
  });

  it("refuse a conversation for which there is no room, and keep nothing of it", async () => {
    const { connector, host } = await open({ pool: { maxConnections: 2 } });
    const clerk = await host.conversation({ id: "1", principal: "ada" });
    const held = clerk.call("mcp_mail_echo");
    await held;
    const options = { id: "2", principal: "bob" };
    // The first one is idle: it makes room.
    const other = await host.conversation(options);
    expect(connector.open.toSorted()).toEqual(["docs", "mail", "notes"]);
    expect(await other.call("mcp_notes_echo")).toMatchObject({ isError: false });
    expect(await clerk.call("mcp_notes_echo")).toMatchObject({ isError: false });
    await host.close();
    await expect(open({ pool: { maxConnections: 1 } })).rejects.toMatchObject({ code: "overloaded" });
    await expect(open({ pool: { most: 1 } as never })).rejects.toThrow("most");
  });

  it("get servers of all replicas that come, lose those that go, and the shared ones stay", async () => {
    const hub = createMemoryHub();
    const sharedServers = createSharedServers(hub.state());
    await sharedServers.write(byName(servers));
    const { connector, host } = await open({ servers: {}, sharedServers });
    const one = await host.conversation({ id: "1", principal: "ada" });
    expect(namesOf(one)).toEqual(all);
    const gone = new Promise<void>((resolve) => {
      host.onStatusChanged(({ id, state }) => id === "wiki" && state === "ready" && resolve());
    });
    await sharedServers.write(byName([...servers.slice(0, 2), spec("wiki", "shared")]));
    await gone;
    const two = await host.conversation({ id: "2", principal: "ada" });
    expect(namesOf(two)).toEqual(["mcp_docs_echo", "mcp_mail_echo", "mcp_wiki_echo"]);
    await expect(one.call("mcp_notes_echo")).rejects.toMatchObject({ outcome: "not-sent" });
    expect(await one.call("mcp_wiki_echo")).toMatchObject({ isError: false });
    await host.close();
    expect(connector.open).toEqual([]);
  });
});
