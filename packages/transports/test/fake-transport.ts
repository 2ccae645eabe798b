import type { JsonObject, HostsideError } from "@hostside/core";
import type { SendOptions, Transport } from "../src/message/transport.ts";

/** A transport whose far end is the test. */
export interface FakeTransport extends Transport {
  closeReason?: HostsideError | undefined;
  /** What was sent, oldest first. */
  readonly sent: readonly { readonly message: JsonObject; readonly options: SendOptions | undefined }[];
  /** Delivers a message as if it came off the wire. */
  receive(message: unknown): void;
  /** Makes every later `send()` reject. */
  failSends(error: unknown): void;
  /** Closes from the far end. */
  die(reason?: HostsideError): void;
  readonly isClosed: boolean;
}

export function createFakeTransport(members: Partial<Transport> = {}): FakeTransport {
  const sent: { message: JsonObject; options: SendOptions | undefined }[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    fake.onclose?.();
  };
  const fake: FakeTransport = {
    ...members,
    sent,
    get isClosed() {
      return isClosed;
    },
    start: async () => undefined,
    async send(message, options) {
      if (failure !== undefined) throw failure.error;
      sent.push({ message: JSON.parse(JSON.stringify(message)), options });
    },
    close: async () => close(),
    receive: (message) => fake.onmessage?.(message as JsonObject),
    failSends(error) {
      failure = { error };
    },
    die(reason) {
      fake.closeReason = reason;
      close();
    },
  };
  return fake;
}
