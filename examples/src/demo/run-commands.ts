import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expectThat, type Stage } from "./demo-step.ts";

type OnTheCommandLine = Pick<Stage, "servers" | "printer">;

/**
 * Lists all servers as a person would. The one that cannot start holds up nobody, and is why the
 * command ends with code 1.
 */
export async function listServers(stage: OnTheCommandLine): Promise<void> {
  expectThat(
    (await hostside(stage, ["list", "--no-tools"])) === 1,
    "hostside list should say that one server is not well",
  );
}

/** Calls one tool of one server. No other server is started for that. */
export async function callOnce(stage: OnTheCommandLine): Promise<void> {
  const code = await hostside(stage, ["call", "modern-stdio/add", "--a", "40", "--b", "2", "--yes"]);
  expectThat(code === 0, `hostside call ended with code ${code}`);
}

async function hostside({ servers, printer }: OnTheCommandLine, args: readonly string[]): Promise<number | null> {
  printer.line(`$ hostside ${args.join(" ")} --config mcp.json`, "dim");
  // What the package is in a folder where somebody installed it: `npx hostside`.
  const program = fileURLToPath(new URL("../bin/hostside.js", import.meta.resolve("hostside")));
  const child = spawn(process.execPath, [program, ...args, "--config", servers.configFile], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      HOME: servers.home,
      USERPROFILE: servers.home,
      XDG_STATE_HOME: servers.home,
      LOCALAPPDATA: servers.home,
    },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
