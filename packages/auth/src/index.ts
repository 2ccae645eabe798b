// Signing in.
export { createOAuth } from "./create-oauth.ts";
export type { AccountOwner, OAuth, PendingAuthorization, SignedIn, SignInOptions } from "./oauth.ts";
export type { OAuthOptions } from "./oauth-options.ts";

// Whom servers take the host for.
export type { ClientConfig } from "./oauth-options.ts";

// How a user is asked, and how the answer comes back. @hostside/auth/node has some of both.
export type { OAuthPrompt } from "./oauth-options.ts";

// What a model asks for a sign-in with.
export { createAuthenticateTools } from "./authenticate-tools/create-authenticate-tools.ts";
export { authenticateToolNames } from "./authenticate-tools/create-authenticate-tools.ts";

// Keys and tokens of the host's own.
export { createApiKeys } from "./api-keys.ts";
export { firstAuthProvider, type AuthProvider } from "./api-keys.ts";

// Where credentials are kept, and who may change them now. @hostside/auth/node has files.
export type { CredentialStore } from "./store/credential-store.ts";
export { createMemoryCredentials } from "./store/create-memory-credentials.ts";
export { createKeyvCredentials } from "./store/create-keyv-credentials.ts";
export type { SealingKey } from "./store/sealer.ts";
