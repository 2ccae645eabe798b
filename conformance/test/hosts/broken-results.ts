import type { Connection } from "@hostside/core";
import type { DriverHost } from "../../src/host/serve-driver.ts";
import { createReferenceHost } from "../../src/host/reference-host.ts";
import { faultyConnector, withVerbs, type BrokenHost } from "./broken-host.ts";

/** Hosts that are wrong about what goes into a call and what comes out of it. */
export const brokenResults: readonly BrokenHost[] = [
  {
    id: "asks-the-server",
    wrong: "sends calls to tools that it does not know",
    venue: "http",
    make: () => {
      let connection: Connection | undefined;
      const connector = faultyConnector({
        connection: (made) => {
          connection = made;
          return {};
        },
      });
      const host = createReferenceHost({ connector }) as Required<DriverHost>;
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
