import type { JsonObject } from "@toolport/core";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { handshake, type Handshake } from "./handshake.ts";
import { openHttpSession } from "./http-session.ts";
import { readRawListing, type RawListing } from "./raw-listing.ts";
import type { HttpSession, RawSession, StdioSession } from "./raw-session.ts";
import { readySession, type ReadySession } from "./ready-session.ts";
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
  /** One ready session for all checks that do no harm to it: starting a process is most of a check's time. */
  shared(): Promise<ReadySession>;
  /** The handshake of the shared session. */
  identity(): Promise<Handshake>;
  /** The pages of the shared session's `tools/list`, read once; none when the server declares no tools. */
  listing(): Promise<RawListing>;
  close(): Promise<void>;
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
  let shared: Promise<ReadySession> | undefined;
  let listing: Promise<RawListing> | undefined;
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
      return readySession(session, await handshake(session, { answerMs }));
    },
    shared() {
      shared ??= target.openReady();
      return shared;
    },
    identity: async () => (await target.shared()).handshake,
    listing() {
      listing ??= target.shared().then(readRawListing);
      return listing;
    },
    async close() {
      await Promise.all(Array.from(sessions, (session) => session.close()));
    },
  };
  return target;
}
