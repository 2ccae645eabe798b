import type { Connector, ServerSpec } from "@hostside/core";
import { expect, it } from "vitest";
import { createHost } from "hostside";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

const minuteMs = 60_000;
const spec: ServerSpec = {
  id: "mail",
  sharing: "principal",
  type: "stdio",
  command: "x",
  timeouts: { callMs: 30 * minuteMs },
};

/** A connector whose connections and calls wait until the test has them go on. */
function slowConnector() {
  const inner = createFakeConnector();
  const gate = { connect: Promise.resolve(), call: Promise.resolve() };
  const connector: Connector = {
    ...inner,
    async connect(given, hooks, signal) {
      await gate.connect;
      const connection = await inner.connect(given, hooks, signal);
      return {
        ...connection,
        async callTool(...call) {
          await gate.call;
          return connection.callTool(...call);
        },
      };
    },
  };
  return { connector, gate };
}

/** What a promise came to, once all that can happen now has happened. */
async function after<T>(promise: Promise<T>, pass: () => void): Promise<T | "pending"> {
  await new Promise((resolve) => void setImmediate(resolve));
  pass();
  await new Promise((resolve) => void setImmediate(resolve));
  return Promise.race([promise, Promise.resolve("pending" as const)]);
}

it("calls of a connection that not all share have the time that its spec says", async () => {
  const clock = useVirtualClock();
  const { connector, gate } = slowConnector();
  const host = await createHost({ connector, servers: byName([spec]), pool: {} });
  const ada = await host.conversation({ id: "1", principal: "ada" });
  let answer = (): void => undefined;
  gate.call = new Promise((resolve) => (answer = resolve));
  const call = ada.call("mcp_mail_echo");
  call.catch(() => undefined);
  expect(await after(call, () => clock.advance(20 * minuteMs))).toBe("pending");
  answer();
  expect(await call).toMatchObject({ isError: false });
  await host.close();
});

it("calls of connections that the pool ended wait for their server, and for no other", async () => {
  const clock = useVirtualClock();
  const { connector, gate } = slowConnector();
  let held = Promise.resolve();
  const host = await createHost({
    connector: {
      ...connector,
      async connect(given, hooks, signal) {
        if (given.id === "slow") await held;
        return connector.connect(given, hooks, signal);
      },
    },
    servers: byName([spec, { ...spec, id: "slow" }]),
    pool: {},
    savedCatalogs: false,
    timeoutMs: 0,
  });
  const ada = await host.conversation({ id: "1", principal: "ada" });
  await expect.poll(() => ada.tools().map(({ name }) => name)).toContain("mcp_mail_echo");
  await host.pool?.dispose({ principal: "ada" });
  let go = (): void => undefined;
  let goSlow = (): void => undefined;
  gate.connect = new Promise((resolve) => (go = resolve));
  held = new Promise((resolve) => (goSlow = resolve));
  const call = ada.call("mcp_mail_echo");
  call.catch(() => undefined);
  expect(await after(call, () => clock.advance(20_000))).toBe("pending");
  go();
  await expect.poll(() => after(call, () => clock.advance(250))).toMatchObject({ isError: false });
  goSlow();
  await host.close();
});

it("and wait no longer than that for their server", async () => {
  const clock = useVirtualClock();
  const { connector, gate } = slowConnector();
  const host = await createHost({ connector, servers: byName([spec]), pool: {}, savedCatalogs: false, timeoutMs: 0 });
  const ada = await host.conversation({ id: "1", principal: "ada" });
  await expect.poll(() => ada.tools().map(({ name }) => name)).toContain("mcp_mail_echo");
  await host.pool?.dispose({ principal: "ada" });
  let go = (): void => undefined;
  gate.connect = new Promise((resolve) => (go = resolve));
  const failure = ada.call("mcp_mail_echo", {}, { timeoutMs: 50 }).catch((error: unknown) => error);
  await after(failure, () => clock.advance(50));
  expect(await failure).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
  go();
  await host.close();
});

it("and wait no longer than that for the connection", async () => {
  const clock = useVirtualClock();
  const { connector, gate } = slowConnector();
  const host = await createHost({ connector, servers: byName([spec]), pool: {}, savedCatalogs: false });
  const ada = await host.conversation({ id: "1", principal: "ada" });
  await host.pool?.dispose({ principal: "ada" });
  let go = (): void => undefined;
  gate.connect = new Promise((resolve) => (go = resolve));
  const call = ada.call("mcp_mail_echo", {}, { timeoutMs: 50 });
  const failure = call.catch((error: unknown) => error);
  await after(failure, () => clock.advance(50));
  expect(await failure).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
  go();
  await host.close();
});
