import { isToolportError, type Connection } from "@toolport/core";
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

/** Hosts that are wrong about sessions and calls. */
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
  {
    id: "asks-the-server",
    wrong: "sends calls to tools that it does not know",
    venue: "http",
    make: () => {
      let connection: Connection | undefined;
      const connector = breakConnector(createConnector(), {
        connection: (made) => {
          connection = made;
          return {};
        },
      });
      const host = createToolportHost({ connector }) as Required<DriverHost>;
      return {
        ...host,
        call: async (params) => {
          const { tools } = await host.snapshot({});
          if (tools.some(({ name }) => name === params.name)) return host.call(params);
          await connection?.callTool(params.name, params.args);
          throw new Error("unknown tool");
        },
      };
    },
    fails: ["consistent/unknown-tool"],
  },
  {
    id: "meta-in-arguments",
    wrong: "sends metadata among the arguments",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: ({ meta, ...params }) =>
        call(meta === undefined ? params : { ...params, meta, args: { ...params.args, _meta: meta } }),
    })),
    fails: ["consistent/meta-beside-arguments"],
  },
  {
    id: "default-arguments",
    wrong: "drops arguments that are empty",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: (params) =>
        call({ ...params, args: Object.fromEntries(Object.entries(params.args).filter(([key]) => key !== "")) }),
    })),
    fails: ["consistent/arguments-exact"],
  },
  {
    id: "text-only",
    wrong: "keeps only the texts of a result",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: async (params) => {
        const { content, isError } = await call(params);
        const texts = content.filter((block) => JSON.stringify(block).includes('"text":'));
        return { content: texts, ...(isError !== undefined && { isError }) };
      },
    })),
    fails: ["consistent/result-kept"],
  },
  {
    id: "hides-failures",
    wrong: "tells a failed tool as a success",
    venue: "http",
    make: withVerbs(({ call }) => ({
      call: async (params) => {
        const { isError, ...result } = await call(params);
        return isError === true ? result : { ...result, isError: false };
      },
    })),
    fails: ["consistent/result-kept", "survive/tool-error"],
  },
  {
    id: "gives-up-silently",
    wrong: "ends a cancelled call without telling the server",
    venue: "http",
    make: withVerbs(({ call }) => {
      const waiting = new Map<string, (error: Error) => void>();
      return {
        call: (params) => {
          const given = new Promise<never>((_, reject) => waiting.set(params.callId, reject));
          return Promise.race([call(params), given]);
        },
        cancel: ({ callId }) => {
          waiting.get(callId)?.(new Error("given up"));
          return {};
        },
      };
    }),
    fails: ["consistent/cancel-reaches-the-server"],
  },
];
