import { HostsideError, defaultTimeouts, type Interceptor } from "@hostside/core";
import { createCallPipeline } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";

/** Puts interceptors around the calls of a provider, as a toolbox does, until it is closed. */
export function interceptCalls(provider: McpProvider, interceptors: readonly Interceptor[]): McpProvider {
  const pipeline = createCallPipeline({
    interceptors,
    timeoutMsOf: ({ definition }) => provider.callTimeoutMs?.(definition.name) ?? defaultTimeouts.callMs,
  });
  provider.onClosed(() => pipeline.end(new HostsideError("the provider is closed", { code: "closed" })));
  const intercepted: Pick<McpProvider, "call"> = {
    async call(name, args = {}, options = {}) {
      const [definition] = provider.tools([name]);
      if (definition?.origin === undefined) return provider.call(name, args, options);
      const { origin } = definition;
      const server = provider.describeServer?.(origin.serverId);
      const call = { origin, definition, server, args: args as Record<string, never>, options };
      return pipeline.run(call, (handed) => provider.call(name, handed.args, handed.options));
    },
  };
  return Object.assign(Object.create(provider) as McpProvider, intercepted);
}
