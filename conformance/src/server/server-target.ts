import { isJsonObject, type JsonObject } from "@toolport/core";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { handshake, type Handshake } from "./handshake.ts";
import { openHttpSession } from "./http-session.ts";
import type { HttpSession, RawSession, StdioSession } from "./raw-session.ts";
import { openStdioSession, type ServerCommand } from "./stdio-session.ts";

/** Where the server under test is. */
export type ServerAddress =
  | { readonly kind: "stdio"; readonly server: ServerCommand }
  | { readonly kind: "http"; readonly url: URL; readonly headers?: Readonly<Record<string, string>> };

/** Which tools the kit may call. */
export interface CallConsent {
  /** Tools that the author named, with arguments if given. */
  readonly named: ReadonlyMap<string, JsonObject | undefined>;
  /** `true`: every tool, with arguments made from its schema. */
  readonly all: boolean;
}

/** The server under test, as checks see it. Every session is closed with the target, also those that a check forgot. */
export interface ServerTarget {
  readonly address: ServerAddress;
  readonly consent: CallConsent;
  readonly trace: TraceRecorder;
  /** How long an answer may take, in milliseconds, before a check calls it silence. */
  readonly answerMs: number;
  /** A fresh session without a handshake: a new process, or an HTTP session without an id. */
  open(): Promise<RawSession>;
  /** The same, when the check is about stdio (or about HTTP) and has made sure of it. Throws `TypeError` otherwise. */
  openStdio(): Promise<StdioSession>;
  openHttp(): Promise<HttpSession>;
  /** A fresh session after a handshake of the newest revision that the server speaks. Throws when there was none. */
  openReady(): Promise<ReadySession>;
  /** The first handshake that succeeded, made once per target. */
  identity(): Promise<Handshake>;
  close(): Promise<void>;
}

/** A session that is ready for requests. */
export interface ReadySession {
  readonly session: RawSession;
  readonly handshake: Handshake;
  /** `_meta` that every request needs in this era; empty before 2026-07-28. */
  params(params?: JsonObject): JsonObject;
}

/** Options of {@linkcode createServerTarget}. */
export interface ServerTargetOptions {
  readonly address: ServerAddress;
  readonly consent: CallConsent;
  readonly trace: TraceRecorder;
  /** Default 3,000: a person waits for the kit. */
  readonly answerMs?: number;
}

/** Makes a target. Nothing starts before the first session is opened. */
export function createServerTarget({ address, consent, trace, answerMs = 3000 }: ServerTargetOptions): ServerTarget {
  const sessions = new Set<RawSession>();
  let count = 0;
  let identity: Promise<Handshake> | undefined;
  const nextId = (): string => `#${++count}`;
  const kept = <Session extends RawSession>(session: Session): Session => {
    sessions.add(session);
    return session;
  };
  const openStdio = async (): Promise<StdioSession> => {
    if (address.kind !== "stdio") throw new TypeError("the target is not a stdio server");
    return kept(await openStdioSession(address.server, { id: nextId(), trace, answerMs }));
  };
  const openHttp = async (): Promise<HttpSession> => {
    if (address.kind !== "http") throw new TypeError("the target is not an HTTP server");
    return kept(openHttpSession(address.url, { id: nextId(), trace, answerMs, headers: address.headers }));
  };
  const open = (): Promise<RawSession> => (address.kind === "stdio" ? openStdio() : openHttp());
  const target: ServerTarget = {
    address,
    consent,
    trace,
    answerMs,
    open,
    openStdio,
    openHttp,
    async openReady() {
      const session = await open();
      const done = await handshake(session, { answerMs });
      return { session, handshake: done, params: (params = {}) => withEnvelope(params, done) };
    },
    identity() {
      identity ??= target.openReady().then(async ({ session, handshake }) => {
        await session.close();
        return handshake;
      });
      return identity;
    },
    async close() {
      await Promise.all(Array.from(sessions, (session) => session.close()));
    },
  };
  return target;
}

function withEnvelope(params: JsonObject, { envelope }: Handshake): JsonObject {
  if (envelope === undefined) return params;
  const own = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...envelope, ...own } };
}
