import { untilAborted } from "@hostside/core/implement";
import { onGone, type GatewayHttpExchange, type HttpStream, readBodyText } from "./http-exchange.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";

/** The handler of an exchange, and its limits. */
export interface WebAnswering {
  readonly handle: (exchange: GatewayHttpExchange) => Promise<void>;
  readonly limits: Pick<GatewayLimits, "maxBufferedBytes">;
}

/**
 * Answers a `Request` of the web's own API. One whose signal is aborted before there is an answer
 * is answered all the same, for who waits for it: with what nginx logs of a client that is gone.
 */
export function answerWebRequest(request: Request, { handle, limits }: WebAnswering): Promise<Response> {
  const gone = new AbortController();
  if (request.signal.aborted) return Promise.resolve(ofNobody());
  return new Promise((resolve) => {
    const leave = (): void => {
      gone.abort(new Error("the client is gone"));
      resolve(ofNobody());
    };
    request.signal.addEventListener("abort", leave, { once: true });
    const exchange: GatewayHttpExchange = {
      method: request.method.toUpperCase(),
      path: new URL(request.url).pathname,
      // A URL is all that some runtimes say of the host.
      header: (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined),
      readBody: (maxBytes, take) => untilAborted(readBodyText(request.body ?? [], maxBytes, take), request.signal),
      gone: gone.signal,
      reply(status, headers, body) {
        request.signal.removeEventListener("abort", leave);
        resolve(new Response(body ?? null, { status, headers: { ...headers } }));
      },
      stream(status, headers) {
        const { body, stream } = openStream(gone, limits.maxBufferedBytes);
        resolve(new Response(body, { status, headers: { ...headers } }));
        return stream;
      },
    };
    void handle(exchange);
  });
}

function ofNobody(): Response {
  return new Response(null, { status: 499 });
}

function openStream(
  gone: AbortController,
  maxBytes: number,
): { readonly body: ReadableStream<Uint8Array>; readonly stream: HttpStream } {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const leave = (): void => {
    controller = undefined;
    gone.abort(new Error("the client is gone"));
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBytes }),
  );
  onGone({ gone: gone.signal }, () => {
    const open = controller;
    controller = undefined;
    // Whoever reads is not to wait for what will not come.
    open?.error(new Error("the stream was ended"));
  });
  const stream: HttpStream = {
    write(text, weight) {
      if (controller === undefined) return false;
      const room = controller.desiredSize ?? 0;
      if (weight === "spare" && room < maxBytes / 2) return false;
      if (room <= 0) {
        leave();
        return false;
      }
      controller.enqueue(encoder.encode(text));
      return true;
    },
    end() {
      const open = controller;
      controller = undefined;
      open?.close();
    },
  };
  return { body, stream };
}
