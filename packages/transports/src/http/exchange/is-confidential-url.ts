// The URL parser has normalised the host by then: `127.1` is `127.0.0.1`, and user info is not part of it.
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether credentials may travel to this URL: it is `https:`, or it does not leave this machine. */
export function isConfidentialUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname));
}
