import { readFileSync } from "node:fs";

/** The version of this package, from its `package.json`. */
export function kitVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    // Every package has one; the build would fail without it.
    readonly version: string;
  };
  return manifest.version;
}
