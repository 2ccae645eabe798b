import { connect } from "node:net";
import { pause } from "@hostside/core/implement";
import type { Finding } from "../engine/check.ts";
import { fail } from "./checks/define-check.ts";
import type { ServerAddress } from "./server-address.ts";

/**
 * Tells a server at a URL that went away amid the run, which nobody starts again, from one that
 * answers wrongly.
 */
export interface OutageWatch {
  /**
   * What `run` found, unless nothing listens at the URL any more: then one check failed, that one
   * which sent the oddest input or was the first to notice, and all others could not run because of
   * it. What a check found before its connection broke stays.
   */
  judge(check: { readonly id: string; readonly rough?: boolean }, run: () => Promise<Finding>): Promise<Finding>;
}

const endingMs = 250;

/** `listens`: whether something does at a URL; for tests, by default a connection is tried. */
export function watchOutage(
  address: ServerAddress,
  listens: (url: URL) => Promise<boolean> = isListening,
): OutageWatch {
  const underWay = new Map<string, { readonly id: string; readonly rough?: boolean }>();
  let culprit: string | undefined;
  const afterOutage = (id: string): Finding =>
    culprit === id || culprit === undefined
      ? fail(
          "the server went away: nothing listens at its URL any more, so it seems that it ended, and nobody started it again",
        )
      : { status: "could-not-run", reason: `the server went away during ${culprit}`, cause: culprit };
  return {
    async judge(check, run) {
      if (address.type === "stdio") return run(); // Each check has a process of its own.
      if (culprit !== undefined) return afterOutage(check.id);
      underWay.set(check.id, check);
      const [found] = await Promise.allSettled([run()]);
      if (culprit === undefined && isBrokenOff(found) && !(await listens(address.url))) {
        culprit ??= [check, ...underWay.values()].find(({ rough }) => rough)?.id ?? check.id;
      }
      underWay.delete(check.id);
      if (culprit === check.id || (culprit !== undefined && isOfOutage(found))) return afterOutage(check.id);
      if (found.status === "rejected") throw found.reason;
      return found.value;
    },
  };
}

/**
 * Whether there is nothing in it that a server did which was still there: what could not run, or a
 * failure in which a connection broke.
 */
function isOfOutage(found: PromiseSettledResult<Finding>): boolean {
  return found.status === "rejected" || found.value.status === "could-not-run" || isBrokenOff(found);
}

/**
 * Whether a connection broke, as it does to those who talk to a process that ends; the trace of a
 * failure tells it, too.
 */
function isBrokenOff(found: PromiseSettledResult<Finding>): boolean {
  const isUndone =
    found.status === "rejected" || found.value.status === "fail" || found.value.status === "could-not-run";
  const text = found.status === "rejected" ? String(found.reason) : JSON.stringify(found.value);
  return isUndone && /ECONNRE|EPIPE|socket hang up/.test(text);
}

async function isListening({ hostname, port, protocol }: URL): Promise<boolean> {
  // A process that ends drops its connections first, and its port some moments later.
  await pause(endingMs);
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80), timeout: 2000 });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => settle(true));
    // Whatever else may be wrong between here and there, only this one says that nobody listens.
    socket.once("error", (error) => settle(!("code" in error && error.code === "ECONNREFUSED")));
    socket.once("timeout", () => settle(true));
  });
}

// As the kit words answers: a status, or an error with its text.
const excuses: readonly (readonly [refusal: RegExp, reason: string])[] = [
  [
    /\b429\b(?=: |\s\()|\berror [^:]{1,20}: ".{0,100}(?:rate.?limit|too many requests)/i,
    "the server limits how often it is asked, which a run does often",
  ],
  [
    /\berror [^:]{1,20}: ".{0,200}(?:\bE(?:AI_AGAIN|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|TIMEDOUT)\b|getaddrinfo|fetch failed|network error)/i,
    "the server could not reach something that it asks in turn",
  ],
  [
    /\berror [^:]{1,20}: ".{0,200}(?:api.?key|\bcredentials?\b|\bunauthori[sz]ed\b|\bnot (?:authenticated|logged in)\b)/i,
    "the server has no account for something that it asks in turn",
  ],
];

/**
 * What a check found, unless all that it saw is an error that has another cause than a mistake of
 * the server's author. A run asks more often than a host does, and a server that limits that is not
 * wrong; nor is one that says what it cannot reach.
 */
export function excuseRefusal(finding: Finding): Finding {
  if (finding.status !== "fail") return finding;
  const reason = excuses.find(([refusal]) => refusal.test(finding.observed))?.[1];
  return reason === undefined ? finding : { status: "could-not-run", reason: `${reason}: ${finding.observed}` };
}
