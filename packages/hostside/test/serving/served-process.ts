import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import { program, type WorkFolder } from "../terminal/work-folder.ts";

/**
 * `hostside serve` as a process of its own, and a client of the official SDK that has started it.
 */
export interface ServedProcess extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** All that it wrote to stderr so far. */
  readonly stderr: () => string;
  /** Resolves when stderr has this. */
  untilSaid(text: string): Promise<void>;
  /** Names of the tools, as they are listed now. */
  tools(): Promise<readonly string[]>;
  /** Resolves when the tools are these. */
  untilTools(isRight: (names: readonly string[]) => boolean): Promise<readonly string[]>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** Starts it, and connects. */
export async function startServed(
  { folder, env }: WorkFolder,
  args: readonly string[],
  {
    capabilities = {},
    prepare,
  }: { readonly capabilities?: ClientCapabilities; readonly prepare?: (client: Client) => void } = {},
): Promise<ServedProcess> {
  const client = new Client({ name: "editor", version: "1.0.0" }, { capabilities });
  prepare?.(client);
  const command = { command: process.execPath, args: [program, ...args], cwd: folder, env: { ...env } };
  const transport = new StdioClientTransport({ ...command, stderr: "pipe" });
  let said = "";
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  transport.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    wake();
  });
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  let changes = 0;
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method !== "notifications/tools/list_changed") return;
    changes += 1;
    wake();
  };
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  await client.connect(transport);
  client.onclose = () => end();
  const tools = async (): Promise<readonly string[]> => (await client.listTools()).tools.map(({ name }) => name);
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => said,
    untilSaid: (text) => until(() => said.includes(text)),
    tools,
    async untilTools(isRight) {
      for (;;) {
        const seen = changes;
        const names = await tools();
        if (isRight(names)) return names;
        await until(() => changes > seen);
      }
    },
    ended,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Resolves when nothing that was started in the folder runs any more. */
export async function untilNoneRuns(work: WorkFolder): Promise<void> {
  while ((await work.processes()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
