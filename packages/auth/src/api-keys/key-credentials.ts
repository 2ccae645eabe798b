import {
  isHostsideError,
  HostsideError,
  type Clock,
  type CredentialHeaders,
  type CredentialsRefusal,
  type ServerCredentials,
  type HostsideErrorCode,
} from "@hostside/core";
import {
  createDeadline,
  createSecretMemory,
  formatMs,
  quoteText,
  safeCause,
  untilAborted,
} from "@hostside/core/implement";
import type { KeyedServer } from "./api-keys.ts";

/** What `createApiKeys` was given, with its defaults. */
export interface KeySettings {
  readonly keyFor: (server: KeyedServer) => Promise<string | undefined> | string | undefined;
  readonly headerFor: (server: KeyedServer) => string;
  readonly refreshMs: number;
  readonly clock: Clock;
}

const keyMs = 30_000;
// RFC 9110, 5.5, without obs-text.
const headerValue = /^[\t\u0020-\u007E]*$/;
const none: CredentialHeaders = {};

/** The credentials of one server and one principal: a key that is asked for. */
export function createKeyCredentials(server: KeyedServer, settings: KeySettings): ServerCredentials {
  const { refreshMs, clock } = settings;
  const reader = createKeyReader(server, settings);
  let current: { readonly headers: CredentialHeaders; readonly until: number } | undefined;
  let flight: Promise<CredentialHeaders> | undefined;
  let life = 0;

  const fetchKey = async (): Promise<CredentialHeaders> => {
    const begun = life;
    const headers = await reader.read();
    // What was cleared meanwhile is not held again.
    if (begun === life) current = { headers, until: clock.now() + refreshMs };
    return headers;
  };
  // One at a time, for all that want one.
  const ask = (): Promise<CredentialHeaders> => {
    if (flight !== undefined) return flight;
    const begun = fetchKey();
    const land = (): void => void (flight === begun && (flight = undefined));
    begun.then(land, land);
    return (flight = begun);
  };
  const forget = (): void => {
    life += 1;
    current = undefined;
    flight = undefined;
  };
  return {
    async headersFor() {
      return current !== undefined && clock.now() < current.until ? current.headers : ask();
    },
    async onRefused({ status, sent }) {
      // What was asked for before the refusal may be as old as what was refused.
      const early = flight === undefined ? current?.headers : await flight;
      if (early !== undefined && !isSame(early, sent)) return;
      const now = await ask();
      if (!isSame(now, sent)) return;
      // The next request asks for it anew.
      current = undefined;
      throw reader.refused(status, now === none);
    },
    async clear() {
      forget();
    },
  };
}

interface KeyReader {
  /** As headers; {@linkcode none} for no key. */
  read(): Promise<CredentialHeaders>;
  refused(status: CredentialsRefusal["status"], hadNone: boolean): HostsideError;
}

function createKeyReader(server: KeyedServer, { keyFor, headerFor, clock }: KeySettings): KeyReader {
  const { serverId, principal } = server;
  const secrets = createSecretMemory();
  const whose = principal === undefined ? "" : ` and principal ${quoteText(principal)}`;
  const account = `server ${quoteText(serverId)}${whose}`;
  const unsent = (code: HostsideErrorCode, message: string, cause?: unknown): HostsideError =>
    new HostsideError(`${message}; nothing was sent`, {
      code,
      serverId,
      outcome: "not-sent",
      // Of itself it says nothing of the kind; but wherever the host has its keys, they may be had
      // again later.
      ...(code === "store_failed" && { retryable: true }),
      ...(cause !== undefined && { cause: safeCause(cause, secrets.redact) }),
    });
  const askHost = async (): Promise<unknown> => {
    const onTimeout = (): HostsideError =>
      unsent("store_failed", `keyFor() gave no key for ${account} within ${formatMs(keyMs)}`);
    const deadline = createDeadline({ timeoutMs: keyMs, onTimeout, clock });
    const answer = async (): Promise<unknown> => keyFor(server);
    try {
      return await untilAborted(answer(), deadline.signal);
    } catch (error) {
      if (isHostsideError(error)) throw error;
      const reason = error instanceof Error ? quoteText(secrets.redact(error.message), 200) : "no reason given";
      throw unsent("store_failed", `keyFor() failed for ${account}: ${reason}`, error);
    } finally {
      deadline.dispose();
    }
  };
  return {
    async read() {
      const given = await askHost();
      if (given === undefined || given === null) return none;
      if (typeof given !== "string")
        throw unsent("internal_error", `keyFor() gave something that is no text for ${account}`);
      const key = given.trim();
      secrets.learn(key);
      if (key === "") throw unsent("auth_required", `the key for ${account} is blank`);
      if (!headerValue.test(key))
        throw unsent("auth_required", `the key for ${account} is one that no header can carry`);
      const header = headerFor(server).toLowerCase();
      return { [header]: header === "authorization" ? `Bearer ${key}` : key };
    },
    refused(status, hadNone) {
      const because = hadNone
        ? `there is no key for ${account}: have keyFor() give one, then refresh the server`
        : status === 403
          ? `the key for ${account} does not allow this: have keyFor() give one that does`
          : `the key for ${account} was refused: have keyFor() give another one, then refresh the server`;
      return new HostsideError(because, { code: status === 403 && !hadNone ? "forbidden" : "auth_required", serverId });
    },
  };
}

function isSame(one: CredentialHeaders, other: CredentialHeaders): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
