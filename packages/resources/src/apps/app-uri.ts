/**
 * Whether a URI is of an app: what a server has its own interface in
 * (https://github.com/modelcontextprotocol/ext-apps). Its content is a page for the user, and never
 * for a model.
 */
export function isAppUri(uri: string): boolean {
  return /^ui:/i.test(uri);
}
