import { createLineCutter } from "../engine/line-cutter.ts";
import type { Readable, Writable } from "node:stream";
import type { JsonObject } from "@hostside/core";
import {
  driverProtocol,
  type DriverError,
  type DriverHello,
  type DriverReply,
  type DriverRequest,
  type DriverVerb,
  type DriverVerbs,
} from "./driver-protocol.ts";

/** A host as a driver written in TypeScript has it: a function for each verb that it knows. */
export type DriverHost = {
  readonly [Verb in Exclude<DriverVerb, "hello">]?: (
    params: DriverVerbs[Verb]["params"],
  ) => Promise<DriverVerbs[Verb]["result"]> | DriverVerbs[Verb]["result"];
};

/** Options of {@linkcode serveDriver}. */
export interface ServeDriverOptions {
  readonly hello: Omit<DriverHello, "protocol">;
  readonly host: DriverHost;
  /** What an error of the host looks like to the kit. Default: its message alone. */
  readonly describeError?: (error: unknown) => DriverError;
  /** Default: the process's own. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Answers one request. Never rejects. */
export type AnswerRequest = (request: DriverRequest) => Promise<DriverReply>;

/** Serves a host on stdin and stdout. Resolves when stdin ends and the host is closed. */
export async function serveDriver(options: ServeDriverOptions): Promise<void> {
  const { host, input = process.stdin, output = process.stdout } = options;
  const answer = createAnswer(options);
  const lines = createLineCutter(({ bytes }) => {
    const line = bytes.toString("utf8");
    if (line.trim() === "") return;
    // The kit writes nothing but requests.
    const request = JSON.parse(line) as DriverRequest;
    void answer(request).then((reply) => output.write(`${JSON.stringify(reply)}\n`));
  }, Infinity);
  for await (const chunk of input as AsyncIterable<Buffer | string>) lines.push(Buffer.from(chunk));
  await host.close?.({});
}

/** Makes the part of a driver that is not about streams. */
export function createAnswer({ hello, host, describeError = messageOnly }: ServeDriverOptions): AnswerRequest {
  const handlers = host as Readonly<Record<string, ((params: DriverRequest) => unknown) | undefined>>;
  return async (request) => {
    const { id, verb } = request;
    try {
      if (verb === "hello") return { id, ok: true, value: { protocol: driverProtocol, ...hello } };
      const handle = handlers[verb];
      if (handle === undefined) throw new TypeError(`this driver does not know ${verb}`);
      // Every result of a verb is a JSON object.
      return { id, ok: true, value: (await handle(request)) as JsonObject };
    } catch (error) {
      return { id, ok: false, error: describeError(error) };
    }
  };
}

function messageOnly(error: unknown): DriverError {
  return { message: error instanceof Error ? error.message : String(error) };
}
