import { isJsonObject } from "@hostside/core/implement";
import type { CustomClient } from "./custom-parts.ts";

/** How a client's life is told. */
export interface ClientEvents {
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onClose: () => void;
}

/**
 * Listens in on an SDK client without taking anything from its owner: the callbacks that are set
 * stay and run first. Notifications are seen at the transport, because a client has one handler per
 * method and it may be taken. Returns what ends it.
 */
export function watchClient(client: CustomClient, { onNotification, onClose }: ClientEvents): () => void {
  const transport: unknown = Reflect.get(client, "transport");
  const restores = [chain(client, "onclose", onClose)];
  if (typeof transport === "object" && transport !== null) {
    restores.push(
      chain(transport, "onmessage", (message) => {
        if (!isJsonObject(message)) return;
        const { id, method, params } = message;
        if (id === undefined && typeof method === "string") onNotification(method, params);
      }),
    );
  }
  return () => {
    for (const restore of restores) restore();
  };
}

function chain(owner: object, name: string, listener: (value: unknown) => void): () => void {
  const before: unknown = Reflect.get(owner, name);
  const both = (...values: readonly unknown[]): void => {
    if (typeof before === "function") Reflect.apply(before, owner, values);
    listener(values[0]);
  };
  Reflect.set(owner, name, both);
  return () => {
    if (Reflect.get(owner, name) === both) Reflect.set(owner, name, before);
  };
}
