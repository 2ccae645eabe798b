import { estimateDefinitionTokens, type ToolboxView } from "@hostside/discovery";
import { expectThat, localNameOf, textOf, type Stage } from "./demo-step.ts";

const maxToolTokens = 2000;

/**
 * Goes a model's way to a tool among all of them: the directory of groups, one group's schemas, the
 * call. Counts tokens on the way.
 */
export async function findATool({ host, printer }: Stage): Promise<void> {
  const { toolbox } = host;
  await using conversation = await host.conversation({ maxToolTokens });
  const everything = toolbox.estimateTokens();
  const before = declare(conversation);
  printer.line(
    `all ${toolbox.tools().length} definitions: about ${everything} tokens, with maxToolTokens: ${maxToolTokens}`,
  );
  printer.line(`declared instead: ${before.names.join(", ")}: about ${before.tokens} tokens`);

  const directory = await conversation.call("tools_groups", { query: "*" });
  printer.line(`tools_groups: ${textOf(directory)}`);
  const selected = await conversation.call("tools_select", { group: "mcp:modern-stdio" });
  printer.line(`tools_select: ${textOf(selected)}`);

  const after = declare(conversation);
  printer.line(`declared now: ${after.names.length} definitions: about ${after.tokens} tokens`);
  const add = localNameOf(host, "modern-stdio", "add");
  expectThat(after.names.includes(add), `${add} was selected and is not declared`);
  expectThat(after.tokens < everything / 2, "declaring a few tools should cost far less than declaring all");
  const outcome = await conversation.call(add, { a: 40, b: 2 });
  printer.line(`${add}: ${textOf(outcome)}`);
  expectThat(textOf(outcome).includes("42"), "the tool that was found gave the wrong answer");
}

function declare(view: ToolboxView): { readonly names: readonly string[]; readonly tokens: number } {
  const definitions = view.tools();
  const tokens = definitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0);
  return { names: definitions.map(({ name }) => name), tokens };
}
