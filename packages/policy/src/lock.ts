// The entry `@hostside/policy/lock`: lock files and nothing else, for those who write and compare
// them, such as the conformance kit.
export { diffLocks } from "./pins/diff-locks.ts";
export { formatLock, lockTools, parseLock, type LockedTool, type ToolLock } from "./pins/tool-lock.ts";
export type { ChangeKind, ToolChange } from "./policy-event.ts";
