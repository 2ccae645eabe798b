import type {
  CallContext,
  CallOptions,
  Connection,
  Connector,
  JsonObject,
  HttpEntry,
  JsonValue,
  ServerSpec,
  StdioEntry,
} from "@hostside/core";
import { serverTypeOf } from "@hostside/core/implement";

/** What a server of the connector says of a request that it answers. */
export interface TellingAnswer {
  readonly serverId: string;
  /** Command or URL. */
  readonly program: string | undefined;
  /** `env.TOKEN` or the bearer token of the connection. */
  readonly token: string | undefined;
  readonly principal: string | undefined;
  /** As whom the principal was signed in when the connection was opened. */
  readonly account: number | undefined;
  /** Number of the answer; no two have the same. */
  readonly answer: number;
  /** Number of the connection; no two have the same. */
  readonly connection: number;
  /** What `note` was called with on this connection. */
  readonly notes: readonly string[];
  /** `_meta` of the request. */
  readonly meta: JsonObject | undefined;
  /** The caller, from servers whose requests have headers of their own. */
  readonly caller: Pick<CallContext, "principal" | "role" | "conversation"> | undefined;
}

/** Adds headers of each caller to requests to these servers. */
export interface TellingOptions {
  readonly headersFor?: readonly string[];
  /** Throws `auth_required` at the server of these principals. */
  readonly refuse?: (spec: ServerSpec, principal: string | undefined) => Error | undefined;
  /** As whom a principal is signed in now to servers that ask for it. */
  readonly accountOf?: (principal: string | undefined) => number | undefined;
}

/**
 * Makes a connector of servers that tell by whom and for whom they are asked: by the tool `tell`
 * and by the resource `tell:it`. The tool `note` has the connection remember a text.
 */
export function createTellingConnector({ headersFor = [], refuse, accountOf }: TellingOptions = {}): Connector {
  let last = 0;
  let answers = 0;
  return {
    perCaller: ({ id }) => headersFor.includes(id),
    async connect(spec, { principal }) {
      const refusal = refuse?.(spec, principal);
      if (refusal !== undefined) throw refusal;
      last += 1;
      const connection = last;
      const account = serverTypeOf(spec) === "stdio" ? undefined : accountOf?.(principal);
      const notes: string[] = [];
      const tell = (meta: JsonObject | undefined, context: CallContext | undefined): string => {
        const { principal: whose, role, conversation } = context ?? {};
        const answer: TellingAnswer = {
          serverId: spec.id,
          program: serverTypeOf(spec) === "stdio" ? spec.command : spec.url,
          token: (spec as StdioEntry).env?.["TOKEN"] ?? (spec as HttpEntry).bearerToken,
          principal,
          account,
          answer: (answers += 1),
          connection,
          notes,
          meta,
          caller: headersFor.includes(spec.id) ? { principal: whose, role, conversation } : undefined,
        };
        return JSON.stringify(answer);
      };
      return connectionOf(spec, { tell, note: (text) => void notes.push(text) });
    },
  };
}

interface Telling {
  readonly tell: (meta: JsonObject | undefined, context: CallContext | undefined) => string;
  readonly note: (text: string) => void;
}

function connectionOf({ id }: ServerSpec, { tell, note }: Telling): Connection {
  return {
    server: { era: "modern", protocolVersion: "2026-07-28", name: id, capabilities: { tools: {}, resources: {} } },
    listTools: async () => ({
      tools: ["tell", "note"].map((name) => ({ name, inputSchema: { type: "object" } })),
      dropped: [],
      pages: 1,
    }),
    async callTool(toolName, args, { meta, context }: CallOptions = {}) {
      if (toolName === "note") note(JSON.stringify(args["text"]));
      return { content: [{ type: "text", text: tell(meta, context) }] };
    },
    async request(method, params, options): Promise<JsonValue> {
      const meta = params?.["_meta"] as JsonObject | undefined;
      const text = tell(meta, options?.context);
      if (method === "resources/list") return { resources: [{ uri: "tell:it", name: "it", description: text }] };
      return { contents: [{ uri: "tell:it", text }], ttlMs: 60_000 };
    },
    notify: async () => undefined,
    subscribeResource: async () => Object.assign(() => undefined, { [Symbol.dispose]: () => undefined }),
    close: async () => undefined,
  };
}
