// What needs Node: files, the keyring, a listener on this machine.
export { loopbackRedirect, type LoopbackHost, type LoopbackRedirectOptions } from "./node/loopback-redirect.ts";
