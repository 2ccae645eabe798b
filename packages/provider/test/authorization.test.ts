import {
  HostsideError,
  type Connection,
  type Connector,
  type ServerSpec,
  type HostsideErrorCode,
} from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { useTestClock } from "../../../test/manual-clock.ts";

const spec: ServerSpec = { id: "s", type: "http", url: "https://example.com/mcp", auth: "oauth" };
const refusal = (code: HostsideErrorCode): HostsideError => new HostsideError("refused", { code, serverId: "s" });

interface Gatekeeper extends Connector {
  /** Of each attempt and each listing: whether a page might have been shown. */
  readonly asked: readonly (boolean | undefined)[];
  isOpen: boolean;
  failCalls: HostsideErrorCode | undefined;
}

/** Makes connections to a server that wants an authorization until it is open. */
function createGatekeeper(isOpen: boolean): Gatekeeper {
  const asked: (boolean | undefined)[] = [];
  const gatekeeper: Gatekeeper = {
    asked,
    isOpen,
    failCalls: undefined,
    async connect(_spec, hooks): Promise<Connection> {
      const check = (): void => {
        asked.push(hooks.isInteractive?.());
        if (!gatekeeper.isOpen) throw refusal("auth_required");
      };
      check();
      return {
        server: { era: "legacy", protocolVersion: "2025-11-25", capabilities: { tools: {} } },
        async listTools() {
          check();
          return { tools: [{ name: "t", inputSchema: { type: "object" } }], dropped: [], pages: 1 };
        },
        async callTool() {
          if (gatekeeper.failCalls !== undefined) throw refusal(gatekeeper.failCalls);
          return { content: [] };
        },
        request: () => Promise.reject(new Error("not asked")),
        notify: () => Promise.resolve(),
        subscribeResource: () => Promise.reject(new Error("not asked")),
        close: () => Promise.resolve(),
      };
    },
  };
  return gatekeeper;
}

describe("a user", () => {
  it("is bothered by no init, refresh, call or connection, and by no addServer or updateServer either", async () => {
    const connector = createGatekeeper(false);
    await using provider = createProvider({ connector, servers: [spec] });
    await provider.init();
    await provider.refresh().catch(() => undefined);
    await provider.refreshServer("s").catch(() => undefined);
    await provider.connection("s").catch(() => undefined);
    await provider.addServer({ ...spec, id: "t" }).catch(() => undefined);
    await provider.updateServer({ ...spec, type: "http", url: "https://example.com/other" }).catch(() => undefined);
    expect(connector.asked.length).toBeGreaterThan(5);
    expect(connector.asked.filter((may) => may !== false)).toEqual([]);
    expect(provider.statuses()).toMatchObject([{ id: "s", state: "needs-auth", error: { code: "auth_required" } }]);
  });

  it("who waits may be asked, while that lasts and no longer", async () => {
    const connector = createGatekeeper(false);
    await using provider = createProvider({ connector, servers: [spec] });
    await expect(provider.refreshServer("s", { interactive: true })).rejects.toMatchObject({ code: "auth_required" });
    await expect(provider.connection("s", { interactive: true })).rejects.toMatchObject({ code: "auth_required" });
    await expect(provider.addServer({ ...spec, id: "t" }, { interactive: true })).rejects.toMatchObject({
      code: "auth_required",
    });
    expect(connector.asked).toEqual([true, true, true]);
    connector.isOpen = true;
    await provider.refreshServer("s");
    expect(connector.asked.slice(3)).toEqual([false, false]);
    // A session that is there already is asked again, not replaced.
    await provider.refreshServer("s", { interactive: true });
    expect(connector.asked.slice(5)).toEqual([true]);
  });
});

describe("a call that is refused", () => {
  it.each(["auth_required", "forbidden"] as const)("with %s shows its server as needs-auth", async (code) => {
    const connector = createGatekeeper(true);
    await using provider = createProvider({ connector, servers: [spec] });
    await provider.init();
    const [{ name } = { name: "" }] = provider.tools();
    connector.failCalls = code;
    await expect(provider.call(name)).rejects.toMatchObject({ code });
    expect(provider.statuses()).toMatchObject([{ state: "needs-auth", stage: "call", error: { code } }]);
    connector.failCalls = undefined;
    await provider.call(name);
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
  });
});

describe("a server that the host itself does not let connections go to", () => {
  it("is failed with not_allowed, wants no credentials, and is not tried again in the background", async () => {
    let attempts = 0;
    const connector: Connector = {
      async connect() {
        attempts += 1;
        throw refusal("not_allowed");
      },
    };
    let timers = 0;
    useTestClock({
      schedule() {
        timers += 1;
        return () => void (timers -= 1);
      },
    });
    await using provider = createProvider({ connector, servers: [spec] });
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "failed", stage: "connect", error: { code: "not_allowed" } }]);
    expect([attempts, timers]).toEqual([1, 0]);
  });
});
