import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A browser of this machine, for tests that want a real one; none is downloaded. */
export interface FoundChromium {
  /** Absent where there is none. */
  readonly executablePath: string | undefined;
  /** For the name of a test that is skipped without one; empty where there is one. */
  readonly why: string;
  /** Starts it quietly, without asking anybody for anything. */
  readonly args: readonly string[];
}

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Looks in `HOSTSIDE_CHROMIUM`, then in `PATH`. */
export function findChromium(env: Readonly<Record<string, string | undefined>> = process.env): FoundChromium {
  const places = (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const executablePath = env["HOSTSIDE_CHROMIUM"] ?? places.find((place) => existsSync(place));
  return {
    executablePath,
    why: executablePath === undefined ? " (skipped: no Chromium in PATH nor in HOSTSIDE_CHROMIUM)" : "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
}
