// The URL parser has normalised the host by then: `127.1` is `127.0.0.1`, and user info is not part
// of it.
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether this URL does not leave this machine. */
export function isLoopbackUrl(url: URL): boolean {
  return loopback.test(url.hostname);
}

/**
 * Whether credentials may travel to this URL, and a user be sent there: it is `https:`, or `http:`
 * on this machine.
 */
export function isConfidentialUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackUrl(url));
}
