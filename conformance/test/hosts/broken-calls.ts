import { isToolportError } from "@toolport/core";
import { createConnector } from "@toolport/transports";
import type { DriverHost } from "../../src/host/serve-driver.ts";
import { createToolportHost } from "../../src/host/toolport-host.ts";
import { breakConnector, withConnector, withVerbs, type BrokenHost } from "./broken-host.ts";

const never = new Promise<never>(() => {});

const replay = withVerbs(({ call }) => ({
  call: async (params) => {
    try {
      return await call(params);
    } catch (error) {
      if (!isToolportError(error) || error.outcome !== "unknown" || error.code === "call_timeout") throw error;
      return call({ ...params, callId: `${params.callId} again` });
    }
  },
}));

const onlyOnce = (): DriverHost => {
  const seen = new Set<string>();
  const connector = breakConnector(createConnector(), {
    connect: (spec, right) => {
      if (seen.has(spec.id)) return never;
      seen.add(spec.id);
      return right();
    },
  });
  const host = createToolportHost({ connector }) as Required<DriverHost>;
  return {
    ...host,
    init: (params) => {
      seen.clear();
      return host.init(params);
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
      "recover/reset-during-call",
      "survive/answer-with-wrong-id",
      "survive/http-errors",
      "survive/malformed-answer",
      "survive/stream-cut",
    ],
  },
  {
    id: "replays-after-crash",
    wrong: "sends a call again when the process of the server crashed",
    venue: "stdio",
    make: replay,
    fails: ["consistent/cancel-reaches-the-server", "recover/crash-during-call", "survive/malformed-answer"],
  },
  {
    id: "never-reconnects",
    wrong: "connects to each server once in its life",
    venue: "http",
    make: onlyOnce,
    fails: [
      "consistent/failed-add-leaves-nothing",
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
    make: withVerbs(({ call }) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        call: (params) => {
          const next = last.then(() => call(params));
          last = next.catch(() => {});
          return next;
        },
      };
    }),
    fails: ["survive/concurrent-calls", "survive/isolation"],
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
          if (isToolportError(error, "protocol_error")) return never;
          throw error;
        }
      },
    })),
    fails: ["survive/answer-with-wrong-id", "survive/http-errors", "survive/malformed-answer"],
  },
];
