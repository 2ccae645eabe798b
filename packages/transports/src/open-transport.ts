import { ToolportError, type Clock, type ServerSpec } from "@toolport/core";
import type { HostTransport, TransportContext } from "./host-transport.ts";
import { openMemory } from "./memory/open-memory.ts";
import type { Attempt } from "./negotiation/next-attempt.ts";

/** Opens the channel of one attempt. Each kind's code is loaded when the first of that kind is opened. */
export async function openTransport(
  spec: ServerSpec,
  attempt: Attempt,
  { clock, ...context }: TransportContext & { readonly clock: Clock },
): Promise<HostTransport> {
  const { transport, id } = spec;
  switch (transport.kind) {
    case "memory":
      return openMemory(transport, id);
    case "stdio": {
      const { openStdio } = await import("#stdio");
      return openStdio(spec, context, { clock });
    }
    case "http":
    case "custom":
      throw new ToolportError(`${attempt.channel} is not built yet`, { code: "unsupported_transport", serverId: id });
  }
}
