import type { Client, Transport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolport/core";
import type { ClientIdentity } from "../client-identity.ts";
import type { Elicitor } from "../connection/elicitor.ts";
import { firstModernVersion } from "../wire/request-meta.ts";

/**
 * How a connection attempt finds the era: `probe` asks with `server/discover` and takes what comes, `legacy` goes straight to
 * `initialize`, `modern` insists on 2026-07-28.
 */
export type Handshake = "probe" | "legacy" | "modern";

/** What an {@linkcode openSdkClient} needs. */
export interface SdkClientInit {
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  readonly handshake: Handshake;
  /** For the probe, in milliseconds. */
  readonly probeMs: number;
  /** For the whole handshake, in milliseconds. */
  readonly timeoutMs: number;
  /** Answers the `elicitation/create` of a legacy server; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
  /** Told what the SDK finds odd and goes on after. */
  readonly onError: (error: Error) => void;
}

// Not imported at the top of any module, because it costs more than the rest of Toolport together, and a process that never
// connects should not pay. The runtime loads it once.
function loadSdk(): Promise<{ readonly Client: typeof Client }> {
  return import("@modelcontextprotocol/client");
}

/** Makes an SDK client and performs the handshake. Rejects with the SDK's error; the transport is the caller's to close. */
export async function openSdkClient(init: SdkClientInit): Promise<Client> {
  const { transport, identity, handshake, probeMs, timeoutMs, elicitor, onError } = init;
  const { Client } = await loadSdk();
  const client = new Client(identity.info, {
    capabilities: identity.capabilities,
    versionNegotiation: {
      mode: handshake === "probe" ? "auto" : handshake === "legacy" ? "legacy" : { pin: firstModernVersion },
      probe: { timeoutMs: handshake === "probe" ? Math.min(probeMs, timeoutMs) : timeoutMs },
    },
    // Results never pass through the SDK, so that its validator, which is costly to make, has nothing to do.
    jsonSchemaValidator: {
      getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
    },
  });
  client.onerror = onError;
  if (elicitor !== undefined) {
    client.setRequestHandler(
      "elicitation/create",
      (request, context) =>
        // Params and result are JSON objects; the SDK checks both against its schemas.
        elicitor.ask(request.params as JsonObject, context.mcpReq.signal) as never,
    );
  }
  await client.connect(transport, { timeout: timeoutMs });
  return client;
}
