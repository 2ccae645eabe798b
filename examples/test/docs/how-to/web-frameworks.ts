import assert from "node:assert/strict";
import type { Host } from "hostside";
import { scripted } from "../../../../packages/adapters/test/mock-model.ts";

interface Page {
  readonly host: Host;
  readonly chat: (request: Request, user: string) => Promise<Response>;
}

const turns = [[["mcp_files_read_text_file", { path: "package.json" }]], "It is a module."] as const;
const models = [scripted(turns), scripted(turns)];
// What the AI SDK asks for the model that the page names by a text.
Object.assign(globalThis, { AI_SDK_DEFAULT_PROVIDER: { specificationVersion: "v4", languageModel: () => models[0] } });

export async function drive({ host, chat }: Page): Promise<void> {
  await using _ = host;
  for (const user of ["ada", "bob"]) {
    const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "What is package.json?" }] }];
    const body = JSON.stringify({ id: "42", messages });
    const response = await chat(new Request("http://localhost/chat", { method: "POST", body }), user);
    const text = await response.text();
    assert.match(text, /"tool-output-available".*\\"type\\":\\"module\\"/);
    assert.match(text, /It is a module/);
    models.shift();
  }
}
