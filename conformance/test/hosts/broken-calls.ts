import { isHostsideError, type HostsideError } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";
import type { DriverHost } from "../../src/host/serve-driver.ts";
import { createReferenceHost } from "../../src/host/reference-host.ts";
import { faultyConnector, withConnector, withVerbs, type BrokenHost } from "./broken-host.ts";

const never = new Promise<never>(() => {});

const replay = withVerbs(({ call }) => ({
  call: async (params) => {
    try {
      return await call(params);
    } catch (error) {
      if (!isHostsideError(error) || error.outcome !== "unknown" || error.code === "call_timeout") throw error;
      return call({ ...params, callId: `${params.callId} again` });
    }
  },
}));

const sendAgainAfter = (isProof: (error: HostsideError) => boolean): (() => DriverHost) =>
  withVerbs(({ call }) => ({
    call: async (params) => {
      try {
        return await call(params);
      } catch (error) {
        if (!isHostsideError(error) || !isProof(error)) throw error;
        return call({ ...params, callId: `${params.callId} again` });
      }
    },
  }));

const speaksOfSession = ({ rawMessage }: HostsideError): boolean => /session/i.test(rawMessage);

const oneAtATime = withVerbs(({ call }) => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    call: (params) => {
      const next = last.then(() => call(params));
      last = next.catch(() => {});
      return next;
    },
  };
});

const onlyOnce = (): DriverHost => {
  const seen = new Set<string>();
  const connector = faultyConnector({
    connect: (spec, right) => {
      if (seen.has(spec.id)) return never;
      seen.add(spec.id);
      return right();
    },
  });
  const host = createReferenceHost({ connector }) as Required<DriverHost>;
  return {
    ...host,
    init: (params) => {
      seen.clear();
      return host.init(params);
    },
  };
};

const waitingForQuiet = (): DriverHost => {
  const quietMs = 1200;
  let changedAt = -quietMs;
  const connector = faultyConnector({
    hooks: (hooks) => ({
      ...hooks,
      onToolsChanged: () => {
        changedAt = performance.now();
        hooks.onToolsChanged();
      },
    }),
  });
  const host = createReferenceHost({ connector }) as Required<DriverHost>;
  return {
    ...host,
    call: async (params) => {
      while (performance.now() - changedAt < quietMs) await new Promise((resolve) => setTimeout(resolve, 20));
      return host.call(params);
    },
  };
};

/** Hosts that are wrong about sessions and deadlines. */
export const brokenCalls: readonly BrokenHost[] = [
  {
    id: "replays",
    wrong: "sends a call again when it does not know how it ended",
    venue: "http",
    make: replay,
    fails: [
      "consistent/cancel-reaches-the-server",
      "recover/bad-request-about-sessions",
      "recover/cut-answer-of-lost-session",
      "recover/error-about-sessions",
      "recover/gateway-errors",
      "recover/refused-to-resume",
      "recover/reset-during-call",
      "recover/retry-after",
      "survive/http-errors",
      "survive/stream-cut",
    ],
  },
  {
    id: "replays-after-crash",
    wrong: "sends a call again when the process of the server crashed",
    venue: "stdio",
    make: replay,
    fails: ["consistent/cancel-reaches-the-server", "recover/crash-during-call", "recover/error-about-sessions"],
  },
  {
    id: "believes-errors",
    wrong: "sends a call again when a JSON-RPC error speaks of a session",
    venue: "http",
    make: sendAgainAfter((error) => error.details.httpStatus === undefined && speaksOfSession(error)),
    fails: ["recover/error-about-sessions"],
  },
  {
    id: "believes-bodies",
    wrong: "sends a call again when the body of a 400 speaks of a session",
    venue: "http",
    make: sendAgainAfter((error) => error.details.httpStatus === 400 && speaksOfSession(error)),
    fails: ["recover/bad-request-about-sessions"],
  },
  {
    id: "counts-whole-answers",
    wrong: "takes a call without a whole answer for one that was not sent",
    venue: "http",
    make: withConnector(() => ({
      connection: (right) => ({
        callTool: async (...call) => {
          try {
            return await right.callTool(...call);
          } catch (error) {
            throw isHostsideError(error, "connection_closed")
              ? withErrorContext(error, { outcome: "not-sent" })
              : error;
          }
        },
      }),
    })),
    fails: ["recover/cut-answer-of-lost-session"],
  },
  {
    id: "forgets-what-was-taken",
    wrong: "says of every call that ends for want of credentials that it did not run",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: async (params) => {
        try {
          return await call(params);
        } catch (error) {
          throw isHostsideError(error, "auth_required") ? withErrorContext(error, { outcome: "failed" }) : error;
        }
      },
    })),
    fails: ["recover/refused-to-resume"],
  },
  {
    id: "never-reconnects",
    wrong: "connects to each server once in its life",
    venue: "http",
    make: onlyOnce,
    fails: [
      "consistent/failed-add-leaves-nothing",
      "recover/bad-request-about-sessions",
      "recover/error-about-sessions",
      "recover/server-restarted",
      "recover/session-always-expired",
      "recover/session-expired",
    ],
  },
  {
    id: "never-restarts",
    wrong: "starts each server once in its life",
    venue: "stdio",
    make: onlyOnce,
    fails: [
      "consistent/failed-add-leaves-nothing",
      "recover/callers-share-a-reconnect",
      "recover/crash-while-idle",
      "recover/error-about-sessions",
      "recover/tools-after-reconnect",
    ],
  },
  {
    id: "leaks-processes",
    wrong: "forgets a session instead of ending it",
    venue: "stdio",
    make: withConnector(() => ({ connection: () => ({ close: async () => {} }) })),
    fails: [
      "consistent/failed-add-leaves-nothing",
      "consistent/remove-server",
      "survive/close-despite-stubbornness",
      "survive/close-during-call",
      "survive/close-leaves-nothing",
      "survive/close-with-grandchild",
      "survive/hang-at-start-blocks-nobody",
    ],
  },
  {
    id: "waits-for-all",
    wrong: "shows nothing before every server has answered",
    venue: "http",
    make: withVerbs(({ init, snapshot }) => {
      let ready: unknown;
      return {
        init: (params) => {
          const done = Promise.resolve(init(params));
          ready = done;
          return done;
        },
        snapshot: async () => {
          await ready;
          return snapshot({});
        },
      };
    }),
    fails: ["survive/hang-at-start-blocks-nobody"],
  },
  {
    id: "one-at-a-time",
    wrong: "makes one call at a time, over all servers",
    venue: "http",
    make: oneAtATime,
    fails: [
      "hostile/neighbour-event-notifications",
      "recover/cut-answer-of-lost-session",
      "survive/concurrent-calls",
      "survive/isolation",
    ],
  },
  {
    id: "one-at-a-time-over-stdio",
    wrong: "makes one call at a time, over all servers",
    venue: "stdio",
    make: oneAtATime,
    fails: [
      "hostile/neighbour-notifications",
      "hostile/neighbour-questions",
      "hostile/neighbour-stderr-blank-lines",
      "hostile/neighbour-stderr-short-lines",
      "hostile/neighbour-stdout-batches",
      "hostile/neighbour-stdout-blank-lines",
      "hostile/neighbour-stdout-anomalies",
      "survive/concurrent-calls",
      "survive/isolation",
    ],
  },
  {
    id: "waits-for-quiet",
    wrong: "holds every call back while any server announces changes",
    venue: "stdio",
    make: waitingForQuiet,
    fails: ["hostile/neighbour-notifications"],
  },
  {
    id: "no-deadline",
    wrong: "forgets the deadline of a call",
    venue: "http",
    make: withVerbs(({ call }) => ({ call: (params) => call({ ...params, timeoutMs: 3_600_000 }) })),
    fails: ["survive/silent-call"],
  },
  {
    id: "waits-for-sense",
    wrong: "drops a malformed answer, and waits for another",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: async (params) => {
        try {
          return await call(params);
        } catch (error) {
          if (isHostsideError(error, "protocol_error")) return never;
          throw error;
        }
      },
    })),
    fails: ["survive/answer-with-wrong-id", "survive/http-errors", "survive/malformed-answer"],
  },
];
