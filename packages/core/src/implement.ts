// For those who implement a connector, a provider, a transport or a policy: what they are held to,
// and what all of them would otherwise write again. A product that only uses them needs none of it.
// No name is here and in index.ts as well.

// What a connector reports.
export type { ConnectionHooks, KnownServer } from "./connection.ts";

// Ways of a call.
export { assertCallContext, fairnessKeyOf, withoutApproval } from "./call-context.ts";
export { askForMeta, joinObservers, tell } from "./call-observer.ts";
export { createCallPipeline, createRequestPipeline } from "./call-pipeline.ts";
export { createHostTools, type HostTool } from "./host-tools.ts";
export { runWithDeadline, createDeadline, type Deadline } from "./deadline.ts";
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
export { assertReason, assertKnownOptions, readWholeNumber, type Fields, withDefaults, type Given } from "./options.ts";
export { type AbsentServer, withErrorContext } from "./hostside-error.ts";
export { differByOneSlip, findMeant } from "./find-meant.ts";
export { contextOnBehalfOf, onBehalfOf, assertInitOptions, assertRefreshOptions } from "./call-input.ts";
export { describeAbsent, toolsMeant, unknownServerError, unknownToolError } from "./unknown-tool-error.ts";

// Rules of a host.
export { askAdmit, serverWords } from "./admission.ts";

// Options and data that were handed over.
export { canonicalJson, freezeData, isJsonObject, isPlainObject, kindOf, sameJson } from "./json.ts";
export { settingFields, specError, serverTypeOf, copySpec, reachOf } from "./server-spec.ts";
export { bearerTokenOf, checkHttpSpec, isConfidentialUrl, isLoopbackUrl } from "./check-http-spec.ts";
export { isCredentialHeader, isHeaderName, isHeaderValue, isReservedHeader } from "./check-http-spec.ts";
export { credentialFieldsOf, credentialsOf, sharingOf } from "./server-credentials.ts";
export { readVersioned, writeVersioned, type ValueVersion, createPolledLock, type LockHold } from "./store.ts";
export { bytesOf, checkBase64 } from "./content-block.ts";
export { hasShape, isSchema, keywordShapes, mapSchemas, toObject } from "./schema-keywords.ts";
export { readContentAnnotations, readIcons, isAppUri } from "./content-block.ts";
export { listOf, objectOf, oneOf, readNumber, readText, readTexts, type Reader } from "./options.ts";
export { effectOfHints, inspectedTexts, isToolEffect, sameDefinition } from "./tool.ts";
export { compareText, foldCase, formatMs, headWithin, utf8Length, quoteText, withoutHalves } from "./text.ts";
export { JsonValueCounter, jsonValuesBeyond } from "./count-json-values.ts";

// Time, chance and events.
export { lastWordMs } from "./pipeline.ts";
export { onAbort, pause, resultWithin, settleWithin, untilAborted } from "./waiting.ts";
export { clock, systemRandom, useClock, startStopwatch, runSoon } from "./clock.ts";
export { Alarm } from "./alarm.ts";
export { createEvent, type EventSource, reportUncaught } from "./event.ts";

// What keeps things, and locks.
export { doStep, storeFailed } from "./store.ts";

// Lists that come in pages.
export { createPageCursors } from "./page-cursors.ts";

// Protocol revisions.
export { latestLegacyRevision, legacyRevisions, modernRevision } from "./revisions.ts";

// Secrets and hostile texts.
export { isSecretName, type Redactor, createSecretFinder, findKnownShapes } from "./find-secrets.ts";
export { createRedactor, createSecretMemory, readOAuthAnswer, type SecretMemory, redactData } from "./redaction.ts";
export { secretsOf } from "./spec-secrets.ts";
export { createBoundedFetch, learnSecrets } from "./bounded-fetch.ts";
export { addressIn, findGuardRefusal } from "./connection-guard.ts";
export { safeCause } from "./redaction.ts";
export { parseRetryAfter } from "./parse-retry-after.ts";
export { describeCall } from "./describe-call.ts";
export { cleanData, cleanSchema } from "./clean-data.ts";
export { dropUnseen, escapeUnseen, inspectText, replaceUnseen } from "./text.ts";
export { describeLostNumber, findLostDigits, findLostNumber, rememberDigits, type LostNumber } from "./lost-digits.ts";

// Resources.
