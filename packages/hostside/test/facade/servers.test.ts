import { createMemoryLock, createMemoryStore } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createHost, createSharedServers, type Host, type HostOptions } from "hostside";
import { createFakeConnector, namesOfServers } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const entry = { type: "stdio", command: "x" } as const;
const states = (host: Host): readonly string[] => host.statuses().map(({ id, state }) => `${id} ${state}`);

async function open(options: HostOptions = {}) {
  const unreachable = Promise.reject(new Error("no route"));
  unreachable.catch(() => undefined);
  const connector = createFakeConnector({ down: { ready: unreachable } });
  return { connector, host: await createHost({ connector, ...options }) };
}

describe("servers.add()", () => {
  it("adds a server whose tools are there when it resolves", async () => {
    const { host, connector } = await open({ servers: { a: entry } });
    await host.servers.add("b", entry);
    expect(namesOfServers(host)).toEqual(["mcp_a_echo", "mcp_b_echo"]);
    expect(await host.call("mcp_b_echo")).toMatchObject({ isError: false });
    await host.close();
    expect(connector.open.size).toBe(0);
  });

  it("leaves nothing of a server that cannot be reached", async () => {
    const { host } = await open({ servers: { a: entry } });
    await expect(host.servers.add("down", entry)).rejects.toMatchObject({ serverId: "down" });
    expect(states(host)).toEqual(["a ready"]);
    await host.servers.update("a", { ...entry, title: "A" });
    expect(states(host)).toEqual(["a ready"]);
    await host.close();
  });

  it.each<[string, string, unknown, object]>([
    [
      "a name in use",
      "a",
      entry,
      { code: "duplicate_server", serverId: "a", message: expect.stringContaining("update()") },
    ],
    [
      "a name that is the same in tools",
      "A",
      entry,
      { code: "duplicate_server", message: expect.stringContaining('"a"') },
    ],
    ["an entry that is none", "b", "npx", { code: "invalid_spec", serverId: "b" }],
    ["a wrong entry", "b", { type: "stdio" }, { code: "invalid_spec", serverId: "b" }],
  ])("refuses %s", async (...[, name, given, error]) => {
    const { host } = await open({ servers: { a: entry } });
    await expect(host.servers.add(name, given as typeof entry)).rejects.toMatchObject(error);
    expect(states(host)).toEqual(["a ready"]);
    await host.close();
  });

  it("is kept by later edits of files and of shared servers, which keep their own", async () => {
    const folder = createTemporaryFolder();
    const settings = { watch: { quietMs: 10 } };
    const config = folder.write("hostside.json", { servers: { file: entry }, settings });
    const sharedServers = createSharedServers({ store: createMemoryStore(), lock: createMemoryLock() });
    const { host } = await open({ config, sharedServers });
    await host.servers.add("added", entry);
    const edited = new Promise((resolve) => host.onConfigReport(resolve));
    folder.write("hostside.json", { servers: { edited: entry }, settings });
    await edited;
    expect(states(host)).toEqual(["added ready", "edited ready"]);
    const shown = new Promise<void>((resolve) => {
      host.onStatusChanged(({ id, state }) => id === "shared" && state === "ready" && resolve());
    });
    await sharedServers.write({ shared: entry });
    await shown;
    expect(states(host)).toEqual(["added ready", "edited ready", "shared ready"]);
    await host.close();
  });

  it("gives a server that conversations do not share to each of them alone", async () => {
    const { host, connector } = await open({ pool: {}, servers: {} });
    await host.servers.add("mail", { ...entry, sharing: "principal", labels: { of: "ada" } });
    expect([states(host), connector.open.size]).toEqual([[], 0]);
    const ada = await host.conversation({ principal: "ada" });
    expect(await ada.call("mcp_mail_echo")).toMatchObject({ isError: false });
    expect(host.pool?.statuses()).toMatchObject([{ principal: "ada" }]);
    await host.close();
    expect(connector.open.size).toBe(0);
  });
});

describe("servers.update(), remove() and restart()", () => {
  it("update and remove servers of the code, and of run time", async () => {
    const { host, connector } = await open({ servers: { a: entry } });
    await host.servers.add("b", entry);
    await host.servers.update("a", { ...entry, deny: ["echo"] });
    await host.servers.update("b", { ...entry, disabled: true });
    expect([states(host), namesOfServers(host)]).toEqual([["a ready", "b disabled"], []]);
    expect(await host.servers.remove("a")).toBe(true);
    expect(await host.servers.remove("a")).toBe(false);
    expect([states(host), connector.open.size]).toEqual([["b disabled"], 0]);
    await host.close();
  });

  it("say where a server is changed that is of another source", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("hostside.json", { servers: { folder: entry } });
    const sharedServers = createSharedServers({ store: createMemoryStore(), lock: createMemoryLock() });
    await sharedServers.write({ shared: entry });
    const { host } = await open({ config, sharedServers });
    await expect(host.servers.remove("folder")).rejects.toThrow(config);
    await expect(host.servers.add("folder", entry)).rejects.toThrow(config);
    await expect(host.servers.update("shared", entry)).rejects.toThrow("write()");
    await expect(host.servers.update("foldr", entry)).rejects.toThrow('did you mean "folder"?');
    expect(states(host)).toEqual(["folder ready", "shared ready"]);
    await host.close();
  });

  it("restart connects anew, whatever source a server is from, also what conversations do not share", async () => {
    const own = { ...entry, sharing: "conversation" } as const;
    const { host, connector } = await open({
      pool: {},
      servers: { a: entry, notes: own },
    });
    const conversation = await host.conversation({ id: "1" });
    const before = connector.sent.length;
    const started: string[] = [];
    host.onStatusChanged(({ id, state }) => started.push(`${id} ${state}`));
    await host.servers.restart("a");
    expect(started).toEqual(expect.arrayContaining(["a connecting", "a ready"]));
    await host.servers.restart("notes");
    expect(connector.open).toEqual(new Set(["a"]));
    expect(await conversation.call("mcp_notes_echo")).toMatchObject({ isError: false });
    expect(connector.sent.length).toBe(before + 1);
    await expect(host.servers.restart("b")).rejects.toMatchObject({ code: "unknown_server" });
    await host.close();
  });

  it("change nothing if they reject before anything was applied", async () => {
    const { host, connector } = await open({ pool: {}, servers: { a: entry, b: entry } });
    const wrong: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => host.servers.remove("a", { drainMs: "x" } as never), "drainMs"],
      [() => host.servers.remove("none", { timeout: 3 } as never), 'servers.remove() has no option "timeout"'],
      [() => host.servers.update("a", { ...entry, deny: ["echo"] }, { timeout: 1 } as never), "servers.update()"],
      [() => host.servers.update("a", { ...entry, deny: ["echo"] }, { signal: AbortSignal.abort() }), "aborted"],
      [() => host.servers.add("p", { ...entry, sharing: "principal" }, { signal: AbortSignal.abort() }), "aborted"],
      [() => host.servers.add("p", { ...entry, sharing: "principal" }, { interactive: 1 } as never), "interactive"],
    ];
    for (const [work, message] of wrong) await expect(work()).rejects.toThrow(message);
    expect(await host.servers.remove("b")).toBe(true);
    const conversation = await host.conversation({ principal: "bob" });
    expect([states(host), namesOfServers(conversation)]).toEqual([["a ready"], ["mcp_a_echo"]]);
    expect(connector.open).toEqual(new Set(["a"]));
    expect(await host.servers.remove("a")).toBe(true);
    await host.close();
  });

  it("reject with closed after close()", async () => {
    const { host } = await open({ servers: { a: entry } });
    await host.close();
    for (const work of [
      host.servers.add("b", entry),
      host.servers.update("a", entry),
      host.servers.remove("a"),
      host.servers.restart("a"),
    ]) {
      await expect(work).rejects.toMatchObject({ code: "closed" });
    }
  });
});
