// Signing in.
export { createOAuth } from "./create-oauth.ts";
export type {
  AccountOptions,
  AccountOwner,
  AuthorizeOptions,
  DiscoveredAuthorization,
  OAuth,
  PendingAuthorization,
  SignedIn,
  SignedOut,
  SignInOptions,
  SignOutOptions,
} from "./oauth.ts";
export type { OAuthOptions, ProductIdentity } from "./oauth-options.ts";

// Whom servers take the host for.
export type {
  AssertionRequest,
  AuthorizationCodeConfig,
  ClientConfig,
  ClientCredentialsConfig,
  ClientQuestion,
  ClientsFor,
  EnterpriseManagedConfig,
  GivenClient,
  JwtBearerConfig,
  PrivateKey,
} from "./oauth-options.ts";

// How a user is asked, and how the answer comes back. @hostside/auth/node has some of both.
export type {
  OAuthPrompt,
  PromptAnswer,
  PromptRequest,
  RedirectExpectation,
  RedirectListener,
  RedirectReceiver,
} from "./oauth-options.ts";

// What a model asks for a sign-in with.
export { createAuthenticateTools } from "./authenticate-tools/create-authenticate-tools.ts";
export { authenticateToolNames } from "./authenticate-tools/live-tools.ts";
export type { AuthenticateNamesOptions, AuthenticateToolsOptions } from "./authenticate-tools/authenticate-options.ts";
export type { SignInProvider, SignInStatus } from "./authenticate-tools/authenticate-options.ts";

// Keys and tokens of the host's own.
export { createApiKeys, type ApiKeys, type ApiKeysOptions, type KeyedServer } from "./api-keys.ts";
export { firstAuthProvider, type AuthProvider } from "./api-keys.ts";

// Where credentials are kept, and who may change them now. @hostside/auth/node has files and the
// keyring.
export type { CredentialKey, CredentialStore } from "./store/credential-store.ts";
export { createMemoryCredentials, type MemoryCredentialsOptions } from "./store/create-memory-credentials.ts";
export {
  createKeyvCredentials,
  type KeyvCredentialsOptions,
  type SealedCredentials,
} from "./store/create-keyv-credentials.ts";
export type { SealingKey } from "./store/sealer.ts";
