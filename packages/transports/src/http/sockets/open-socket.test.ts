import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { startRaw } from "../../../test/raw-server.ts";
import { createSocketOpener } from "./open-socket.ts";

it("rejects with ECONNRESET when the socket closes without an error before it is ready", async () => {
  await using server = await startRaw(() => {});
  const cut = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    queueMicrotask(() => socket.destroy());
  };
  subscribe("net.client.socket", cut);
  try {
    const open = createSocketOpener(() => undefined);
    const opening = open({ url: new URL(server.url), toProxyError: (error) => error }, new AbortController().signal);
    await expect(opening).rejects.toMatchObject({ code: "ECONNRESET" });
  } finally {
    unsubscribe("net.client.socket", cut);
  }
});
