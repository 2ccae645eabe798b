// For products on Node: sign-ins, and where they are kept.
export {
  createApiKeys,
  createKeyvCredentials,
  createMemoryCredentials,
  createOAuth,
  firstAuthProvider,
} from "@hostside/auth";
export type { OAuthPrompt } from "@hostside/auth";
export {
  createFileCredentials,
  defaultCredentialsFolder,
  keyringKey,
  loopbackRedirect,
  openBrowser,
  terminalPrompt,
} from "@hostside/auth/node";
