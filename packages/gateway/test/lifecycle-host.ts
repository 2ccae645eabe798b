import { createToolbox } from "@hostside/discovery";
import { createGateway, type Gateway } from "@hostside/gateway";
import { verbatimNaming } from "@hostside/naming";
import { createProvider, type ProviderOptions } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { failureOf } from "../../provider/test/calm-world.ts";
import type { LifecycleHost } from "../../provider/test/processes/lifecycle-scenarios.ts";
import type { Subject } from "../../provider/test/processes/transport-rows.ts";
import { pipeTo } from "./sdk-clients.ts";

/** A provider that calls, a gateway, and behind it the provider that is connected to the server. */
export async function openBehindGateway(
  subject: Subject,
  options: Partial<ProviderOptions> = {},
): Promise<LifecycleHost & { readonly gateway: Gateway }> {
  const upstream = createProvider({
    connector: createConnector({ tasks: true }),
    servers: [subject.spec()],
    ...options,
  });
  const toolbox = createToolbox({ providers: [upstream] });
  await toolbox.init();
  const open = ({ view }: { readonly view: object }) => ({ tools: toolbox.view(view) });
  const gateway = createGateway({ name: "between", version: "1.0.0", expose: "all", tools: "all", open });
  const spec = { id: "g", type: "custom", open: () => pipeTo(gateway) } as const;
  const provider = createProvider({
    connector: createConnector(),
    naming: verbatimNaming,
    servers: [spec],
    ...options,
  });
  await provider.init();
  return {
    gateway,
    provider,
    upstream,
    // To whoever is behind a gateway a failure is a result, which says what is known of it.
    failureOf: (call) =>
      call.then(
        (outcome) => (outcome as { readonly meta?: Record<string, unknown> }).meta?.["hostside/error"],
        () => failureOf(call),
      ),
    async [Symbol.asyncDispose]() {
      await upstream.close();
      toolbox.close();
      await gateway.close("over", { drainMs: 1000 });
      await provider.close();
    },
  };
}
