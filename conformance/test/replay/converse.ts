import {
  isHostsideError,
  type Connection,
  type Connector,
  type JsonValue,
  type Progress,
  type ServerSpec,
} from "@hostside/core";

/** What a host saw of a server, as data that two conversations can be compared by. */
export type Seen = readonly (readonly [string, unknown])[];

/** One thing that a host does. */
export type Deed =
  | { readonly kind: "list" }
  | { readonly kind: "call"; readonly name: string; readonly args?: { readonly [name: string]: JsonValue } }
  | { readonly kind: "abort"; readonly name: string; readonly args?: { readonly [name: string]: JsonValue } }
  | { readonly kind: "change"; readonly name: string; readonly args?: { readonly [name: string]: JsonValue } }
  | { readonly kind: "request"; readonly method: string; readonly params?: { readonly [name: string]: JsonValue } }
  | { readonly kind: "together"; readonly deeds: readonly Deed[] };

/** Holds a conversation with a server and says what came of it. */
export async function converse(connector: Connector, spec: ServerSpec, deeds: readonly Deed[]): Promise<Seen> {
  const seen: [string, unknown][] = [];
  let changed = (): void => {};
  let connection: Connection;
  try {
    connection = await connector.connect(
      spec,
      {
        onToolsChanged: () => changed(),
        onDown: () => undefined,
        onElicit: async () => ({ action: "accept", content: { answer: "Ada" } }),
      },
      AbortSignal.timeout(15_000),
    );
  } catch (error) {
    return [["connect", describe(error)]];
  }
  seen.push(["server", connection.server]);
  const perform = async (deed: Deed): Promise<unknown> => {
    switch (deed.kind) {
      case "list": {
        const { failure, ...listing } = await connection.listTools();
        return failure === undefined ? listing : { ...listing, failure: describe(failure) };
      }
      case "request":
        return connection.request(deed.method, deed.params);
      case "call": {
        const progress: Progress[] = [];
        const result = await connection.callTool(deed.name, deed.args ?? {}, {
          onProgress: (p) => void progress.push(p),
        });
        return { result, progress };
      }
      case "abort": {
        const controller = new AbortController();
        const options = { signal: controller.signal, onProgress: () => controller.abort() };
        return connection.callTool(deed.name, deed.args ?? {}, options);
      }
      case "change": {
        const announced = new Promise<void>((resolve) => (changed = resolve));
        const result = await connection.callTool(deed.name, deed.args ?? {});
        await announced;
        return { result, after: await connection.listTools() };
      }
      case "together":
        return Promise.all(deed.deeds.map(outcome));
    }
  };
  const outcome = (deed: Deed): Promise<unknown> => perform(deed).catch(describe);
  for (const deed of deeds) seen.push([deed.kind, await outcome(deed)]);
  await connection.close();
  return seen;
}

function describe(error: unknown): unknown {
  if (!isHostsideError(error)) throw error;
  const { code, kind, outcome, retryable, details, message } = error;
  const { timeoutMs: _, retryAfterMs: __, ...rest } = details;
  return JSON.parse(
    JSON.stringify({ code, kind, outcome, retryable, details: rest, message })
      .replaceAll(/\d+ ms/g, "… ms")
      // Whatever quotes a request has its id, which is another one each time, and may be longer: a
      // long quotation ends earlier then.
      .replaceAll(/\bid\b([^\d]{1,6})\d+/g, "id$1…")
      .replaceAll(/of the request \(\d+\)/g, "of the request (…)")
      .replaceAll(/"((?:[^"\\]|\\.){200})(?:[^"\\]|\\.)*…"/g, '"$1…"'),
  );
}
