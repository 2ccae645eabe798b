export type * from "./oauth.ts";
export type * from "./oauth-options.ts";
export type * from "./store/credential-store.ts";
export { createMemoryCredentials, type MemoryCredentialsOptions } from "./store/create-memory-credentials.ts";
export {
  createKeyvCredentials,
  type KeyvCredentialsOptions,
  type SealedCredentials,
} from "./store/create-keyv-credentials.ts";
export type { AesKey, SealingKey } from "./store/sealing-key.ts";
export type { ApiKeys, ApiKeysOptions, KeyedServer } from "./api-keys/api-keys.ts";
export { createApiKeys } from "./api-keys/create-api-keys.ts";
export { firstAuthProvider, type AuthProvider } from "./first-auth-provider.ts";
export { createOAuth } from "./create-oauth.ts";
export type { SignInProvider, SignInStatus } from "./authenticate-tools/sign-in-provider.ts";
export type {
  AuthenticateNamesOptions,
  AuthenticateNaming,
  AuthenticateToolsOptions,
} from "./authenticate-tools/authenticate-options.ts";
export { createAuthenticateTools } from "./authenticate-tools/create-authenticate-tools.ts";
export { authenticateToolNames } from "./authenticate-tools/tool-names.ts";
export { createRedisLock, type RedisLockClient, type RedisLockOptions } from "./locks/create-redis-lock.ts";
export {
  createPostgresLock,
  type PostgresLockClient,
  type PostgresLockOptions,
  type PostgresLockPool,
} from "./locks/create-postgres-lock.ts";
