import type { TraceRecorder } from "../engine/trace-recorder.ts";
import type { ServerAddress } from "./server-address.ts";
import { openSseSession } from "./sse-session.ts";

/**
 * Answers to a POST by which a server may be one of HTTP+SSE alone (2025-11-25, transports,
 * backwards compatibility).
 */
const perhapsSse: readonly (number | undefined)[] = [400, 404, 405, 415];

/**
 * The address of the same server over HTTP+SSE, when it refused a POST in a way that leaves this
 * open, and a GET opens a stream that names an endpoint. `undefined` otherwise.
 */
export async function detectSse(
  address: ServerAddress,
  { status, trace, answerMs }: { status: number | undefined; trace: TraceRecorder; answerMs: number },
): Promise<ServerAddress | undefined> {
  if (address.type !== "http" || !perhapsSse.includes(status)) return undefined;
  const session = openSseSession(address.url, {
    id: "#sse",
    trace,
    answerMs,
    headers: address.headers,
    signIn: address.signIn,
  });
  const { endpoint } = await session.stream(answerMs);
  await session.close();
  return endpoint === undefined ? undefined : { ...address, type: "sse" };
}
