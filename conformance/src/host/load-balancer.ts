import { listenOnLoopback, type HttpHandler } from "@hostside/fixtures";
import { request } from "node:http";

/**
 * Something between a host and servers that hands every request on to the first of them, until it
 * is told to alternate.
 */
export interface LoadBalancer {
  readonly url: string;
  /** How many requests it has handed on. */
  readonly handedOn: number;
  /** From now on each request goes to the next server. */
  alternate(): void;
  close(): Promise<void>;
}

/**
 * Listens on a free port. `urls` are those of replicas that know nothing of each other's sessions.
 */
export async function startLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  let handedOn = 0;
  let alternates = false;
  const handOn: HttpHandler = async (incoming, outgoing) => {
    const { headers, method } = incoming;
    handedOn += 1;
    const url = urls[alternates ? handedOn % urls.length : 0] ?? "";
    const forwarded = request(url, { method, headers: { ...headers, host: new URL(url).host } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  };
  const server = await listenOnLoopback(handOn);
  return {
    ...server,
    get handedOn() {
      return handedOn;
    },
    alternate() {
      alternates = true;
    },
  };
}
