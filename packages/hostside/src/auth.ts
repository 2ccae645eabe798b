// For products on Node: sign-ins, and where they and the rest of a state are kept.
export { createFileStore } from "./state/create-file-store.ts";
export { userState } from "./state/user-state.ts";
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
  loopbackRedirect,
  openBrowser,
  terminalPrompt,
} from "@hostside/auth/node";
