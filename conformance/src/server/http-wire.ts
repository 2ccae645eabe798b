import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { truncateText } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { inSeconds } from "../engine/in-seconds.ts";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import type { SignIn } from "./sign-in.ts";
import { toAnswer } from "./message-router.ts";
import type { Answer, HttpRequest, HttpResponse } from "./raw-session.ts";
import { isMessage, readObjects } from "./read-objects.ts";

/** What every session over HTTP is opened with. */
export interface HttpSessionOptions {
  readonly id: string;
  readonly trace: TraceRecorder;
  /** How long an answer may take by default, in milliseconds. */
  readonly answerMs: number;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** More of them, asked for before each request: credentials that are renewed. */
  readonly signIn?: Pick<SignIn, "headersFor" | "onAnswered"> | undefined;
}

/** Makes HTTP requests, each of which is in the trace. */
export interface HttpWire {
  exchange(url: URL, init: HttpRequest, watch?: Watch): Promise<HttpResponse>;
  /** Hangs up on everything that is still open. */
  hangUp(): void;
}

const excerptLength = 400;
const maxBodyLength = 16 * 1024 * 1024;

/** Opens nothing yet. */
export function createHttpWire({ id, trace, answerMs, signIn }: HttpSessionOptions): HttpWire {
  const open = new Set<{ destroy: () => void }>();
  const exchangeOnce = async (url: URL, init: HttpRequest, watch: Watch): Promise<HttpResponse> => {
    trace.record({ kind: "http", session: id, text: `${init.method} ${url.pathname} ${headerText(init.headers)}` });
    if (init.body !== undefined) trace.record({ kind: "send", session: id, text: init.body });
    const response = await send(url, { init, timeoutMs: init.timeoutMs ?? answerMs, open, watch });
    const { status, headers, brokeOff } = response;
    const rest = brokeOff === undefined ? "" : `; the rest of it did not come: ${brokeOff}`;
    trace.record({ kind: "http", session: id, text: `${status} ${headerText(headers)}${rest}` });
    return response;
  };
  return {
    async exchange(url, init, watch = {}) {
      if (signIn === undefined) return exchangeOnce(url, init, watch);
      const request = { method: init.method, url };
      const once = async (): Promise<HttpResponse> =>
        exchangeOnce(url, { ...init, headers: { ...init.headers, ...(await signIn.headersFor(request)) } }, watch);
      const response = await once();
      return signIn.onAnswered(request, response) ? once() : response;
    },
    hangUp() {
      for (const request of open) {
        // Before the end, which is then no break.
        open.delete(request);
        request.destroy();
      }
    },
  };
}

/** The response, if there is one: for checks, which cannot judge what did not come in time. */
export function inTime(response: HttpResponse): HttpResponse {
  if (response.isLate) throw new Error(response.body);
  return response;
}

/**
 * What came instead of the answer to a POST whose response has ended: the caller should know, and
 * not wait.
 */
export function withoutAnswer({ status, headers, body }: HttpResponse): Answer {
  const contentType = headers.get("content-type");
  const error = readObjects(body).find((message) => isMessage(message) && isJsonObject(message["error"]));
  if (error !== undefined) return toAnswer(error);
  if (status === 0) return { kind: "gone", reason: body };
  const challenge = headers.get("www-authenticate");
  const excerpt = truncateText(body, excerptLength);
  return { kind: "http", status, contentType, excerpt, ...(challenge !== undefined && { challenge }) };
}

/** What is done with a response while it comes. */
export interface Watch {
  readonly onHeaders?: (headers: ReadonlyMap<string, string>) => void;
  readonly onChunk?: (chunk: string, contentType: string) => void;
}

interface Sending {
  readonly init: HttpRequest;
  readonly timeoutMs: number | "never";
  readonly open: Set<{ destroy: () => void }>;
  readonly watch: Watch;
}

function send(url: URL, { init, timeoutMs, open, watch }: Sending): Promise<HttpResponse> {
  const none = (reason: string): HttpResponse => ({ status: 0, headers: new Map(), body: reason });
  return new Promise((resolve) => {
    // A response that has begun counts as far as it came: a stream never ends by itself.
    let begun: () => HttpResponse = () => ({
      ...none(`no response within ${timeoutMs === "never" ? timeoutMs : inSeconds(timeoutMs)}`),
      isLate: true,
    });
    let brokeOff: string | undefined;
    const breakOff = (error: Error): void => {
      if (open.has(request)) brokeOff ??= codeOf(error);
    };
    const fail = (error: Error): void => finish(none(reasonOf(error)));
    const stop = (): void => {
      finish(begun());
      request.destroy();
    };
    const timer = timeoutMs === "never" ? undefined : setTimeout(stop, timeoutMs);
    const makeRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
    // A connection of its own for each request: one that is kept alive may be closed by the server
    // just when it is used again.
    const request = makeRequest(url, { method: init.method, headers: init.headers, agent: false }, (response) => {
      const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      const status = response.statusCode ?? 0;
      let body = "";
      begun = () => ({ status, headers, body });
      watch.onHeaders?.(headers);
      if (init.headersOnly) return stop();
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (body.length < maxBodyLength) body += chunk;
        watch.onChunk?.(chunk, headers.get("content-type") ?? "");
      });
      // Node may report a reset on the request before the response. What came before it counts;
      // the response's "close" follows and finishes.
      request.off("error", fail).on("error", breakOff);
      response.on("error", breakOff);
      response.on("close", () => finish({ ...begun(), ...(brokeOff !== undefined && { brokeOff }) }));
    });
    const finish = (response: HttpResponse): void => {
      clearTimeout(timer);
      open.delete(request);
      resolve(response);
    };
    open.add(request);
    request.on("error", fail);
    request.end(init.body);
  });
}

// Node's error for a name with several addresses has no message of its own.
function reasonOf(error: Error): string {
  return error.message || codeOf(error);
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : error.name;
}

function headerText(headers: Readonly<Record<string, string>> | ReadonlyMap<string, string> | undefined): string {
  const entries = headers instanceof Map ? [...headers] : Object.entries(headers ?? {});
  return entries
    .map(([name, value]) => `${name}: ${/authorization|cookie|api-key|token|^dpop$/i.test(name) ? "***" : value}`)
    .join("; ");
}
