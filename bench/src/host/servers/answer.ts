/** What a bench server offers. */
export interface Offer {
  /** Number of tools, the first of which is `echo`. */
  readonly tools: number;
  /** Tools of a page; 0 for all on one. */
  readonly pageSize: number;
  /** Whether tools have an output schema. */
  readonly outputSchemas: boolean;
}

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string };
  };
}

/**
 * Answers a message as the smallest correct server would, so that what is measured is the host.
 * Returns the JSON text, or `undefined` for a notification.
 */
export function createAnswer(offer: Offer): (request: Request) => string | undefined {
  const tools = Array.from({ length: offer.tools }, (_, index) => tool(index, offer));
  const pages =
    offer.pageSize === 0
      ? [tools]
      : Array.from({ length: Math.ceil(tools.length / offer.pageSize) }, (_, page) =>
          tools.slice(page * offer.pageSize, (page + 1) * offer.pageSize),
        );
  const listings = pages.map((page, index) =>
    JSON.stringify({ tools: page, ...(index + 1 < pages.length && { nextCursor: String(index + 1) }) }),
  );
  return ({ id, method, params = {} }) => {
    if (id === undefined) return undefined;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
    switch (method) {
      case "initialize":
        return `${head}"result":${JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "bench", version: "1.0.0" } })}}`;
      case "ping":
        return `${head}"result":{}}`;
      case "tools/list":
        return `${head}"result":${listings[Number(params.cursor ?? 0)]}}`;
      case "tools/call":
        return `${head}"result":${JSON.stringify(result(params.arguments?.text ?? "", offer))}}`;
      default:
        return `${head}"error":{"code":-32601,"message":"Method not found"}}`;
    }
  };
}

function tool(index: number, { outputSchemas }: Offer): object {
  const name = index === 0 ? "echo" : `tool_${index}`;
  return {
    name,
    description: `Tool number ${index} of the bench server: returns the text that it is given, unchanged.`,
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "What to return" },
        count: { type: "integer", minimum: 0 },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["text"],
    },
    ...(outputSchemas && {
      outputSchema: {
        type: "object",
        properties: {
          text: { type: "string" },
          index: { type: "integer", const: index },
          parts: { type: "array", items: { type: "object", properties: { at: { type: "number" } } } },
        },
        required: ["text"],
      },
    }),
  };
}

function result(text: string, { outputSchemas }: Offer): object {
  return { content: [{ type: "text", text }], ...(outputSchemas && { structuredContent: { text } }) };
}
