import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * Starts `@modelcontextprotocol/server-everything` over Streamable HTTP on a free port; resolves
 * when it listens.
 */
export async function startEverythingHttp(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [programOf("@modelcontextprotocol/server-everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes(`listening on port ${port}`)) {
      child.stderr.resume();
      const close = async (): Promise<void> => {
        child.kill();
        await exited;
      };
      return { url: `http://127.0.0.1:${port}/mcp`, close };
    }
  }
  throw new Error("server-everything ended before it listened");
}

/** The main program of an installed server package. */
export function programOf(packageName: string): string {
  return fileURLToPath(import.meta.resolve(`${packageName}/dist/index.js`));
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port on loopback");
  return address.port;
}
