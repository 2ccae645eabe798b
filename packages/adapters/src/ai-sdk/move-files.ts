import type { ModelMessage } from "ai";

type ToolMessage = Extract<ModelMessage, { readonly role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { readonly type: "tool-result" }>;
type ContentPart = Extract<ToolResult["output"], { readonly type: "content" }>["value"][number];
type FilePart = Extract<ContentPart, { readonly type: "file" }>;

/**
 * Messages for a model API whose tool results are texts alone, such as Chat Completions, where a
 * picture would become prompt text: results of texts and files are one text each, and the files
 * follow as a message of the user, behind all results of that turn. Gives the same array back when
 * there is nothing to move.
 */
export function moveFiles(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const moved: ModelMessage[] = [];
  let files: { readonly toolName: string; readonly file: FilePart }[] = [];
  let isChanged = false;
  const flush = (): void => {
    if (files.length === 0) return;
    moved.push({ role: "user", content: files.flatMap(({ toolName, file }) => toUserParts(toolName, file)) });
    files = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      flush();
      moved.push(message);
      continue;
    }
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content" || !part.output.value.every(isPlain))
        return part;
      isChanged = true;
      const { toolName, output } = part;
      for (const piece of output.value) if (piece.type === "file") files.push({ toolName, file: piece });
      return { ...part, output: { type: "text" as const, value: toText(output.value) } };
    });
    moved.push({ ...message, content });
  }
  flush();
  return isChanged ? moved : messages;
}

// What has options for a provider is from a tool of the product's own, which knows its provider.
function isPlain(part: ContentPart): boolean {
  return (part.type === "text" || part.type === "file") && part.providerOptions === undefined;
}

function toText(parts: readonly ContentPart[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "file" ? [`[${part.mediaType}: in the next message]`] : [];
    })
    .join("\n\n");
}

function toUserParts(
  toolName: string,
  { data, mediaType, filename }: FilePart,
): Exclude<Extract<ModelMessage, { readonly role: "user" }>["content"], string> {
  return [
    { type: "text", text: `[${mediaType} from the tool ${toolName}; not written by the user]` },
    { type: "file", data, mediaType, ...(filename !== undefined && { filename }) },
  ];
}
