import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test, with a user's folder and a project in it. */
export interface FakeHome {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** Writes a file below the root, as text or as JSON, and returns its path. */
  readonly write: (path: string, content: unknown) => string;
  /** What every load of this test is given. */
  readonly place: {
    readonly home: string;
    readonly cwd: string;
    readonly env: Record<string, string>;
    readonly platform: string;
  };
}

/** Makes one; it is gone when the test is over. */
export function createFakeHome(platform: string = "linux"): FakeHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hostside-config-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, "home");
  const project = join(home, "code", "app");
  mkdirSync(join(project, ".git"), { recursive: true });
  return {
    root,
    home,
    project,
    write(path, content) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    place: { home, cwd: project, env: {}, platform },
  };
}

/** The configuration of servers that are programs, by name. */
export function mcpServers(commands: Readonly<Record<string, string>>): object {
  return {
    mcpServers: Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, { command }])),
  };
}
