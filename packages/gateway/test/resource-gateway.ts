import { createToolbox } from "@hostside/discovery";
import { createGateway, type Gateway } from "@hostside/gateway";
import type { World } from "../../provider/test/resources/scripted-world.ts";

/**
 * A gateway that serves everything of some scripted servers, their resources and prompts as well.
 */
export function createResourceGateway({ provider, resources }: Pick<World, "provider" | "resources">): Gateway {
  const toolbox = createToolbox({ providers: [provider] });
  return createGateway({
    name: "test",
    version: "1",
    expose: "all",
    tools: "all",
    open: ({ view }) => ({ tools: toolbox.view(view), resources }),
  });
}
