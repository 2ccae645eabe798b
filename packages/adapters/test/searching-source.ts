import { createToolbox, type StaticTool } from "@hostside/discovery";
import type { ToolSource } from "../src/declare/tool-source.ts";

/** Enough tools of a product that a small budget leaves most of them to be found. */
function manyTools(): StaticTool[] {
  const names = ["weather_forecast", "send_invoice", "list_invoices", "translate_text", "resize_picture", "book_table"];
  return names.map((name) => ({
    definition: {
      name,
      description: `Does ${name.replace("_", " ")} for whoever asks. ${"More about it. ".repeat(120)}`,
      inputSchema: { type: "object", properties: { q: { type: "string" } } },
    },
    run: ({ q }) => `${name}: ${JSON.stringify(q)}`,
  }));
}

/** A view with so small a budget that the model has to search. */
export function searchingSource(): ToolSource {
  const view = createToolbox({ tools: manyTools() }).view({ alwaysVisible: ["book_table"] });
  return {
    tools: () => view.tools({ maxToolTokens: 2800 }),
    call: (name, args, options) => view.call(name, args, options),
  };
}
