// What needs Node: files, a listener on this machine.
export { loopbackRedirect } from "./node/loopback-redirect.ts";
export { hasBrowser } from "./node/prompts.ts";
export { openBrowser } from "./node/prompts.ts";
export { terminalPrompt } from "./node/prompts.ts";
export { createFileCredentials } from "./node/file-credentials.ts";
export { defaultCredentialsFolder } from "./node/private-folder.ts";
export { openPrivateFolder, type PrivateFolder } from "./node/private-folder.ts";
export { createFileLock } from "./node/folder-lock.ts";
