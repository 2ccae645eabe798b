import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { JsonObject, ToolportError } from "@toolport/core";
import type { HostSendOptions, HostTransport } from "../src/message/transport.ts";

/** A transport whose far end is the test. */
export interface FakeHostTransport extends HostTransport {
  closeReason?: ToolportError | undefined;
  /** What was sent, oldest first. */
  readonly sent: readonly { readonly message: JsonObject; readonly options: HostSendOptions | undefined }[];
  /** Delivers a message as if it came off the wire. */
  receive(message: unknown): void;
  /** Makes every later `send()` reject. */
  failSends(error: unknown): void;
  /** Closes from the far end. */
  die(reason?: ToolportError): void;
  readonly isClosed: boolean;
}

export function createFakeHostTransport(members: Partial<HostTransport> = {}): FakeHostTransport {
  const sent: { message: JsonObject; options: HostSendOptions | undefined }[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    fake.onclose?.();
  };
  const fake: FakeHostTransport = {
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
    receive: (message) => fake.onmessage?.(message as JSONRPCMessage),
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
