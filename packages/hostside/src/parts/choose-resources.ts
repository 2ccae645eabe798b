import { inOption } from "../contract/check-options.ts";
import type { ToolProvider } from "@hostside/core";
import { contextOnBehalfOf } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import type { Resources } from "@hostside/provider/resources";
import { createResourceTools } from "@hostside/discovery";
import type { PartsContext } from "./parts-context.ts";
import { redactResources } from "./redact-parts.ts";

/**
 * Makes the resources of a provider, as the product says, else as the configuration does, and the
 * tools by which a model gets at them, if there are to be any. Loads their code.
 */
export async function chooseResources(
  { options: given, configuration, report, telemetry, policy, closing }: PartsContext,
  provider: McpProvider,
): Promise<{ readonly resources: Resources; readonly resourceTools: readonly ToolProvider[] }> {
  const { allowsUri, createResources, readAllowedUris } = await import("@hostside/provider/resources");
  const { tools = {}, ...options } = given.resources ?? {};
  const allows = readAllowedUris(options.allowedUris);
  const resources = inOption("resources", () =>
    createResources(provider, {
      onDiagnostic: report,
      // Asked before each read, because a file may have changed.
      cache() {
        const { enabled, ttlMs, maxEntries } = configuration.config?.settings.resourceCache ?? { enabled: false };
        return enabled === false ? undefined : { ttlMs, maxEntries };
      },
      ...options,
      allowedUris: (uri) => allows(uri) && allowsUri(configuration.config?.settings.allowedResourceUris ?? [], uri),
    }),
  );
  closing.add(() => resources.close());
  closing.add(telemetry?.watch({ resources }));
  return {
    resources: redactResources(resources, policy, (context) =>
      provider.principal === undefined ? context : contextOnBehalfOf(provider.principal, context),
    ),
    // The policy masks the results of these tools.
    resourceTools: tools === false ? [] : [createResourceTools(resources, tools)],
  };
}
