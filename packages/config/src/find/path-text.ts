// Paths of a system that this program may not run on, so that `node:path` of the one it does run on
// would not do. As texts alone.

/** Whether a path says by itself where it is. */
export function isAbsolutePath(path: string, platform: string): boolean {
  return platform === "win32" ? /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) : path.startsWith("/");
}

/**
 * A path below a folder; of an absolute one, itself. Written with `/`, and returned with the
 * separators of the system.
 */
export function joinPath(folder: string, path: string, platform: string): string {
  const native = platform === "win32" ? path.replaceAll("/", "\\") : path;
  if (isAbsolutePath(native, platform)) return native;
  const separator = platform === "win32" ? "\\" : "/";
  return /[\\/]$/.test(folder) && (platform === "win32" || folder.endsWith("/"))
    ? `${folder}${native}`
    : `${folder}${separator}${native}`;
}

/** The folder above; `undefined` above a root. */
export function parentOf(path: string, platform: string): string | undefined {
  const plain = withoutEnd(path, platform);
  const end = Math.max(plain.lastIndexOf("/"), platform === "win32" ? plain.lastIndexOf("\\") : -1);
  if (end < 0) return undefined;
  const parent = plain.slice(0, end);
  // `C:` is a folder of its own, and `C:\` the root.
  if (parent === "" || /^[A-Za-z]:$/.test(parent)) return plain.length > end + 1 ? plain.slice(0, end + 1) : undefined;
  return parent;
}

/** Whether two paths name one place, as far as texts tell. */
export function isSamePath(a: string, b: string, platform: string): boolean {
  const [one, other] = [withoutEnd(a, platform), withoutEnd(b, platform)];
  if (platform !== "win32") return one === other;
  return one.replaceAll("/", "\\").toLowerCase() === other.replaceAll("/", "\\").toLowerCase();
}

function withoutEnd(path: string, platform: string): string {
  const pattern = platform === "win32" ? /(?<=[^\\/:])[\\/]+$/ : /(?<=[^/])\/+$/;
  return path.replace(pattern, "");
}
