export type * from "./oauth.ts";
export type * from "./oauth-options.ts";
export type * from "./store/credential-store.ts";
export { createMemoryCredentials, type MemoryCredentialsOptions } from "./store/create-memory-credentials.ts";
