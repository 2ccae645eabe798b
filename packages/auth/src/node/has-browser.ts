/** Where a program runs, as far as {@linkcode hasBrowser} goes by it. */
export interface BrowserPlace {
  /** Such as `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `process.platform`. */
  readonly platform: string;
}

/**
 * Whether a user can see a page that is opened on this machine: not over SSH, and not on a system
 * without a display.
 */
export function hasBrowser({ env, platform }: BrowserPlace): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => (env[name] ?? "") !== "");
  if (has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) return false;
  const needsDisplay = platform !== "darwin" && platform !== "win32";
  return !needsDisplay || has("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME");
}
