import { HostsideError } from "@hostside/core";
import { jsonValuesBeyond } from "@hostside/core/implement";

/** Whose messages are counted, and how many values one may have. */
export interface ValueLimit {
  readonly serverId: string;
  readonly maxMessageValues: number;
}

/** Why a JSON text is not to be parsed: it has more values than its server may send at once. */
export function excessValues(text: string, { serverId, maxMessageValues }: ValueLimit): HostsideError | undefined {
  const values = jsonValuesBeyond(text, maxMessageValues);
  if (values === undefined) return undefined;
  return new HostsideError(
    `server ${JSON.stringify(serverId)} sent a message of ${values} JSON values (limits.maxMessageValues is ${maxMessageValues})`,
    { code: "message_too_large", serverId, details: { usage: { used: values, limit: maxMessageValues } } },
  );
}
