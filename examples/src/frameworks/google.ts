// Gemini with the tools of many MCP servers.
import type { Content, GoogleGenAI } from "@google/genai";
import { createGoogleTools } from "@hostside/adapters/google";
import type { ToolboxView } from "@hostside/discovery";

export async function ask(client: GoogleGenAI, view: ToolboxView, question: string): Promise<string | undefined> {
  const mcp = createGoogleTools(view);
  const contents: Content[] = [{ role: "user", parts: [{ text: question }] }];
  for (;;) {
    const config = { tools: mcp.tools() };
    const response = await client.models.generateContent({ model: "gemini-3.8-flash", contents, config });
    const content = response.candidates?.[0]?.content;
    const answer = await mcp.answer(response);
    if (content === undefined || answer === undefined) return response.text;
    // The model's own content goes back as it came: its parts carry signatures, without which
    // Gemini 3 refuses the request.
    contents.push(content, answer);
  }
}
