import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file so that a reader sees the old one or the whole new one, never half of it. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
