import type { ToolProvider } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { createToolbox } from "@hostside/discovery";
import type { ConversationLease } from "@hostside/cluster";
import { createProvider, type ServerStatus } from "@hostside/provider";
import { expect, it } from "vitest";
import { createSharedToolbox } from "../../src/pooled/shared-toolbox.ts";
import { createFakeConnector } from "./fake-connector.ts";

it("a shared toolbox listens to one provider at a time, and to none when it is closed", async () => {
  const followed = [0, 0].map((_, index) => {
    const statuses = createEvent<ServerStatus>();
    const provider = createProvider({ name: `p${index}`, connector: createFakeConnector(), servers: [] });
    return { statuses, provider: { ...provider, onStatusChanged: statuses.on } };
  });
  let turn = 0;
  const lease = async (): Promise<ConversationLease> => {
    const release = (): void => undefined;
    const conversation = "any";
    return {
      providers: followed.slice(turn, turn + 1).map(({ provider }) => provider),
      conversation,
      release,
      [Symbol.dispose]: release,
    };
  };
  const shared = createSharedToolbox(
    { principal: "ada", conversation: "any" },
    {
      name: "mcp",
      sharings: new Set(["principal"]),
      providers: { lease },
      owners: { get: () => "principal" },
      toolboxOf: (providers: readonly ToolProvider[]) => createToolbox({ providers }),
      signInTools: undefined,
      signInNews: { on: () => () => undefined, onAny: () => () => undefined, close: () => undefined },
    },
  );
  const listening = (): readonly boolean[] => followed.map(({ statuses }) => statuses.hasListeners);
  await shared.lend();
  expect(listening()).toEqual([true, false]);
  turn = 1;
  await shared.lend();
  expect(listening()).toEqual([false, true]);
  shared.close();
  expect(listening()).toEqual([false, false]);
  await Promise.all(followed.map(({ provider }) => provider.close()));
});
