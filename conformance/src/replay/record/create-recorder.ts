import { HostsideError, type Cancel, type ServerSpec } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { ConnectorEffects } from "@hostside/transports";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { createMask, type Mask } from "../masking/create-mask.ts";
import type { RecordedTransport } from "../recording/recorded-event.ts";
import { createTape, type Tape } from "./create-tape.ts";
import type { IdNumbers } from "./id-book.ts";
import { recordFetch, type RecordableFetch } from "./record-fetch.ts";
import { recordProcess } from "./record-process.ts";
import { createRecordedSide } from "./recorded-side.ts";

/** How a conversation is recorded. */
export interface RecorderOptions {
  /** A file, which is replaced, or what takes each line as it is written, with its line feed. */
  readonly to: string | ((line: string) => void);
  /**
   * What is secret besides the secrets of specs, tokens that are sent and what looks like one; of
   * at least six characters. Default none.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Masks what a product masks besides, in each text. Default nothing. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Does the requests. Default the global `fetch`. */
  readonly fetch?: RecordableFetch | undefined;
}

/** Writes down what is said with servers over stdio and HTTP. */
export interface Recorder {
  /**
   * For `createConnector({ effects })`: all that its connections say is recorded. Servers of the
   * kinds `memory` and `custom` are not.
   */
  readonly effects: (spec: ServerSpec) => ConnectorEffects;
  /**
   * Ends the recording. What is under way goes on unseen. Idempotent. Throws `store_failed` if not
   * all of it could be written.
   */
  close(): void;
  [Symbol.dispose](): void;
}

const fields: Fields<RecorderOptions> = {
  to: true,
  secrets: true,
  redact: true,
  fetch: true,
};

/**
 * Makes a recorder. The recording is written line by line, so that it is there when the host
 * crashes. It holds no secret of a spec, none that is sent in a header, and nothing that looks like
 * one: a placeholder such as `[secret:1]` stands for it, the same for the same secret. What tools
 * are asked and answer stays; read a recording before you send it to anybody.
 *
 * Throws a `TypeError` for options that are unknown or missing, and `store_failed` for a file that
 * cannot be written.
 *
 * @example
 * using recorder = createRecorder({ to: "bug.jsonl" });
 * const host = await createHost({ config: "auto", connector: { effects: recorder.effects } });
 */
export function createRecorder(options: RecorderOptions): Recorder {
  assertKnownOptions("createRecorder()", options, fields);
  const { to, secrets = [], redact } = options;
  if (typeof to !== "function" && (typeof to !== "string" || to === ""))
    throw new TypeError("createRecorder(): to must be the name of a file or a function");
  const fetch: RecordableFetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const sink = typeof to === "function" ? { write: to, close: ignore } : openFile(to);
  const mask = createMask(secrets, redact);
  const tape = createTape(sink.write);
  const servers = new Map<string, IdNumbers>();
  const open = new Set<Cancel>();
  let isClosed = false;
  const onOpen = (finish: Cancel): Cancel => {
    open.add(finish);
    return () => void open.delete(finish);
  };
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    for (const finish of open) finish();
    tape.end(mask.size);
    sink.close();
    if (tape.failure !== undefined)
      throw new HostsideError("the recording could not be written", { code: "store_failed", cause: tape.failure });
  };
  return {
    effects(spec) {
      mask.learnSpec(spec);
      const numbers = servers.get(spec.id) ?? introduce(spec, { mask, tape });
      servers.set(spec.id, numbers);
      const side = (): ReturnType<typeof createRecordedSide> => createRecordedSide({ spec, tape, mask, numbers });
      // All exchanges of one connection have one side; each process has its own.
      const overHttp = recordFetch(fetch, { side: side(), onOpen });
      return {
        fetch: (url, init) => (isClosed ? fetch(url, init) : overHttp(url, init)),
        spawn(...call) {
          const [command, args, given, own] = call;
          if (isClosed || command === "taskkill") return own(command, args, given);
          const child = own(command, args, given) as ChildProcess;
          recordProcess(child, { side: side(), onOpen });
          return child;
        },
      };
    },
    close,
    [Symbol.dispose]: close,
  };
}

function introduce(spec: ServerSpec, { mask, tape }: { readonly mask: Mask; readonly tape: Tape }): IdNumbers {
  const transport = describeTransport(spec, mask);
  if (transport !== undefined) tape.add({ type: "server", id: spec.id, transport });
  return { request: 0, question: 0, token: 0 };
}

function describeTransport(spec: ServerSpec, mask: Mask): RecordedTransport | undefined {
  if (spec.command !== undefined) {
    const { command, args = [] } = spec;
    return {
      type: "stdio",
      command: mask.text(command),
      ...(args.length > 0 && { args: args.map((arg) => mask.text(arg)) }),
    };
  }
  if (spec.url === undefined) return undefined;
  const { url, mode } = spec;
  return { type: "http", url: mask.text(url), ...(mode !== undefined && { mode }) };
}

function openFile(file: string): { write: (line: string) => void; close: () => void } {
  try {
    // What tools answered is nobody else's business.
    const descriptor = openSync(file, "w", 0o600);
    return { write: (line) => void writeSync(descriptor, line), close: () => closeSync(descriptor) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HostsideError(`createRecorder(): the file of the recording cannot be written: ${why}`, {
      code: "store_failed",
      cause,
    });
  }
}

function ignore(): void {}
