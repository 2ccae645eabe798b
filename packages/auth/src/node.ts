// What needs Node: files, the keyring, a listener on this machine.
export { loopbackRedirect, type LoopbackRedirectOptions } from "./node/loopback-redirect.ts";
export { hasBrowser, type BrowserPlace } from "./node/open-browser.ts";
export { openBrowser, type OpenBrowserOptions } from "./node/open-browser.ts";
export {
  terminalPrompt,
  type TerminalInput,
  type TerminalOutput,
  type TerminalPromptOptions,
} from "./node/terminal-prompt.ts";
export { createFileCredentials, type FileCredentialsOptions } from "./node/file-credentials.ts";
export { defaultCredentialsFolder, type CredentialsFolderOptions } from "./node/private-folder.ts";
export { keyringKey, type KeyringKeyOptions } from "./node/keyring-key.ts";
export { openPrivateFolder, type PrivateFolder } from "./node/private-folder.ts";
export { createFileLock } from "./node/folder-lock.ts";
