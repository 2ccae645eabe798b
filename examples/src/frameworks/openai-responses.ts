// OpenAI's Responses API with the tools of many MCP servers.
import { createResponsesTools } from "@hostside/adapters/openai";
import type { ToolboxView } from "@hostside/discovery";
import type OpenAI from "openai";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import type { ResponseInputItem } from "openai/resources/responses/responses";

export async function ask(client: OpenAI, view: ToolboxView, question: string): Promise<string> {
  const mcp = createResponsesTools(view);
  const input: ResponseInputItem[] = [{ role: "user", content: question }];
  for (;;) {
    const response = await client.responses.create({ model: "gpt-5.5", input, tools: mcp.tools() });
    const answers = await mcp.answer(response);
    if (answers.length === 0) return response.output_text;
    input.push(...toResponseInputItems(response.output), ...answers);
  }
}
