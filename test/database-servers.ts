import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** A database that a test started. */
export interface DatabaseServer {
  readonly url: string;
  /** Ends the database at once, as a crash does; what is on the disk stays. */
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Where the program is; `undefined` when this machine has none. */
export const redisBinary: string | undefined = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "redis-server"))
  .find((path) => existsSync(path));

// Debian keeps it out of the PATH.
const postgresRoot = "/usr/lib/postgresql";
const postgresFolder: string | undefined = existsSync(postgresRoot)
  ? readdirSync(postgresRoot)
      .map((version) => join(postgresRoot, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined;
/** Postgres does not run as root: somebody else has to be there whom root can start it as. */
const runsAsRoot = process.getuid?.() === 0;
export const postgresBinary: string | undefined =
  postgresFolder !== undefined && (!runsAsRoot || existsSync("/usr/bin/setpriv")) ? postgresFolder : undefined;

export async function startRedis(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "hostside-redis-"));
  const port = await freePort();
  // With a sync in the background, a busy disk has it keep the last second to itself; without one,
  // all is with the system before it answers.
  const kept = ["--save", "", "--appendonly", "yes", "--appendfsync", "no"];
  const args = ["--port", String(port), "--bind", "127.0.0.1", ...kept, "--dir", folder];
  return startServer({
    folder,
    url: `redis://127.0.0.1:${port}`,
    ready: /Ready to accept connections/i,
    run: () => spawn(redisBinary ?? "redis-server", args, { stdio: ["ignore", "pipe", "pipe"] }),
  });
}

export async function startPostgres(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "hostside-postgres-"));
  const data = join(folder, "data");
  const bin = postgresBinary ?? "";
  const as = runsAsRoot ? ["setpriv", "--reuid=nobody", "--clear-groups", "--"] : [];
  if (runsAsRoot) {
    chmodSync(folder, 0o777);
  }
  const [initdb = "", ...initArgs]: readonly string[] = [
    ...as,
    join(bin, "initdb"),
    "-D",
    data,
    "-U",
    "hostside",
    "-A",
    "trust",
    "--no-sync",
    "-E",
    "UTF8",
  ];
  const made = spawnSync(initdb, initArgs, { encoding: "utf8", cwd: folder });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, `unix_socket_directories=${folder}`, "fsync=off"];
  const [postgres = "", ...args]: readonly string[] = [
    ...as,
    join(bin, "postgres"),
    "-D",
    data,
    ...settings.flatMap((one) => ["-c", one]),
  ];
  const url = `postgresql://hostside@127.0.0.1:${port}/postgres`;
  return startServer({
    folder,
    url,
    ready: /ready to accept connections/,
    run: () => spawn(postgres, args, { stdio: ["ignore", "pipe", "pipe"], cwd: folder }),
  });
}

interface ServerInit {
  readonly folder: string;
  readonly url: string;
  /** What it says when it is ready. */
  readonly ready: RegExp;
  readonly run: () => ChildProcess;
}

async function startServer({ folder, url, ready, run }: ServerInit): Promise<DatabaseServer> {
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => void running.once("exit", resolve));
    // Immediate shutdown of Postgres; its own children end with it.
    running.kill("SIGQUIT");
    await ended;
  };
  const start = async (): Promise<void> => {
    const running = run();
    child = running;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        said += chunk.toString();
        if (ready.test(said)) resolve();
      };
      running.stdout?.on("data", hear);
      running.stderr?.on("data", hear);
      running.once("error", reject);
      running.once("exit", () => reject(new Error(`the database ended: ${said}`)));
    });
  };
  await start();
  return {
    url,
    stop,
    start,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
