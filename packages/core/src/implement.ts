// For those who implement a connector, a provider, a transport or a policy: what they are held to,
// and what all of them would otherwise write again. A product that only uses them needs none of it.
// No name is here and in index.ts as well.

// What a connector reports.
export type { ConnectionHooks, KnownServer } from "./connection.ts";

// Ways of a call.
export { fairnessKeyOf } from "./fairness-key.ts";
export { assertCallContext, withoutApproval } from "./call-context.ts";
export { askForMeta, hasObserver, joinObservers, tell } from "./call-observer.ts";
export { createCallPipeline, type CallPipeline } from "./call-pipeline.ts";
export { createRequestPipeline, type RequestPipeline } from "./request-pipeline.ts";
export {
  assertCallOptions,
  assertListOptions,
  assertMessage,
  assertNames,
  assertRequestOptions,
  assertSignal,
  assertTimeoutMs,
  assertToolName,
  isCallArguments,
  lostDigitsError,
  readCallArguments,
  timeSetBy,
} from "./call-input.ts";
export { assertReason } from "./assert-reason.ts";
export type { AbsentServer } from "./absent-server.ts";
export { differByOneSlip } from "./differ-by-one-slip.ts";
export { contextOnBehalfOf, onBehalfOf } from "./on-behalf-of.ts";
export { findMeant } from "./find-meant.ts";
export { unknownServerError } from "./unknown-server-error.ts";
export { describeAbsent, toolsMeant, unknownToolError } from "./unknown-tool-error.ts";
export { withErrorContext } from "./hostside-error.ts";

// Rules of a host.
export { askAdmit, type AdmitDecision } from "./ask-admit.ts";

// Options and data that were handed over.
export { assertKnownOptions, readWholeNumber, type Fields } from "./assert-known-options.ts";
export { assertInitOptions, assertRefreshOptions } from "./source-options.ts";
export { isPlainObject, kindOf } from "./plain-object.ts";
export { withDefaults, type Given } from "./with-defaults.ts";
export { serverEntryFields, specError } from "./assert-server-spec.ts";
export { serverTypeOf } from "./server-spec.ts";
export { bearerTokenOf, checkHttpSpec } from "./check-http-spec.ts";
export { isCredentialHeader, isHeaderName, isHeaderValue, isReservedHeader } from "./header-rules.ts";
export { isConfidentialUrl, isLoopbackUrl } from "./is-confidential-url.ts";
export { credentialsOf } from "./spec-credentials.ts";
export { credentialFieldsOf, sharingOf } from "./server-sharing.ts";
export { readVersioned, writeVersioned, type ValueVersion } from "./versioned-value.ts";
export { copySpec, reachOf } from "./copy-spec.ts";
export { freezeData } from "./freeze-data.ts";
export { isJsonObject } from "./json.ts";
export { bytesOf, checkBase64, mostBytes } from "./base64.ts";
export { pictureSize } from "./picture-size.ts";
export { hasShape, isSchema, keywordShapes, mapSubschemas, toObject } from "./schema-keywords.ts";
export { readContentAnnotations, readIcons } from "./read-content.ts";
export {
  listOf,
  objectOf,
  oneOf,
  readBoolean,
  readNumber,
  readObject,
  readText,
  readTexts,
  type Reader,
} from "./readers.ts";
export { isToolEffect } from "./is-tool-effect.ts";
export { serverWords, type ClaimedWords } from "./server-words.ts";
export { effectOfHints } from "./effect-of-hints.ts";
export { compareText } from "./compare-text.ts";
export { foldCase } from "./fold-case.ts";
export { canonicalJson } from "./canonical-json.ts";
export { endOfString, jsonValuesBeyond } from "./count-json-values.ts";
export { sameDefinition } from "./same-definition.ts";
export { sameJson } from "./same-json.ts";

// What is kept of work that comes and goes.
export { createSlots, type Slots } from "./reused-slots.ts";
export { createLazyMap, createLazySet, type LazyMap, type LazySet } from "./lazy-collections.ts";
export { createIdTable, type IdTable } from "./id-table.ts";

// Time, chance and events.
export { createDeadline, type Deadline } from "./deadline.ts";
export { lastWordMs } from "./call-execution.ts";
export { onAbort } from "./on-abort.ts";
export { dateOf, systemClock, systemRandom } from "./clock.ts";
export { createAlarm, type Alarm } from "./alarm.ts";
export { createEvent, type EventSource } from "./event.ts";
export { formatMs } from "./format-ms.ts";
export { reportUncaught } from "./report-uncaught.ts";
export { resultWithin, settleWithin } from "./settle-within.ts";
export { headWithin, utf8Length, type Utf8Head } from "./utf8.ts";
export { untilAborted } from "./until-aborted.ts";

// What keeps things, and locks.
export { createPolledLock, type LockAttempt, type LockHold } from "./polled-lock.ts";
export { doStep, storeFailed, type StepLimit } from "./store-step.ts";
export { startStopwatch } from "./stopwatch.ts";

// Lists that come in pages.
export { createPageCursors, type PageEnd } from "./page-cursors.ts";

// Secrets and hostile texts.
export type { Redactor } from "./redacted.ts";
export { createRedactor, createSecretMemory, type SecretMemory } from "./secret-memory.ts";
export { createSecretFinder, type SecretFinder } from "./secret-finder.ts";
export { findKnownShapes, findPrivateKeys, type SecretSpan } from "./known-shapes.ts";
export { runSoon } from "./run-soon.ts";
export { isSecretName } from "./secret-name.ts";
export { secretsOf } from "./spec-secrets.ts";
export { learnOAuthAnswer, learnOAuthRequest, readOAuthAnswer } from "./learn-oauth-secrets.ts";
export { redactData } from "./redact-data.ts";
export { originalCause, safeCause } from "./safe-cause.ts";
export { quoteText } from "./quote-text.ts";
export { parseRetryAfter } from "./parse-retry-after.ts";
export { describeCall, type DescribedCall } from "./describe-call.ts";
export { cleanData, cleanSchema } from "./clean-data.ts";
export { dropUnseen, escapeUnseen, inspectText, replaceUnseen } from "./untrusted-text.ts";
export { describeLostNumber, findLostDigits, findLostNumber, rememberDigits, type LostNumber } from "./lost-digits.ts";
export { withoutHalves } from "./without-halves.ts";

// An object with getters, of which there are many.
export { isAppUri } from "./resource.ts";
