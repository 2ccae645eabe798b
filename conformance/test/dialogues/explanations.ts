/** Why the wire looks different when Hostside speaks. */
export interface Explanation {
  readonly id: string;
  /** What is different, as a sentence. */
  readonly what: string;
  readonly why: string;
  /** The differences that it explains, as they are found. */
  readonly differences: readonly RegExp[];
  /** Only in dialogues and venues whose name, `dialogue venue`, fits. Default: in all. */
  readonly where?: RegExp;
}

/**
 * Every difference that is known. Each must be seen, and what is seen must be here exactly once.
 */
export const explanations: readonly Explanation[] = [
  {
    id: "library-headers",
    what: "Other `user-agent` and `accept-encoding`, and no `accept-language` and `sec-fetch-mode`.",
    why:
      "The SDK uses `fetch`, which adds the headers of a browser. Hostside sends its own name. If a stream may answer, it requests no\n" +
      "compression (`identity`), because compressing middleware may delay events. A custom `fetch` sends its own headers.",
    differences: [/^client: .+: header (user-agent|accept-encoding|accept-language|sec-fetch-mode): .+, theirs .+$/],
  },
  {
    id: "delete-accept",
    what: "No `accept` header with the `DELETE` that ends a session.",
    why: "`fetch` adds `*/*` by default. The answer has no body, and the specification requires the header for POST and GET only.",
    differences: [/^client: DELETE: header accept: absent, theirs \*\/\*$/],
  },
  {
    id: "list-params",
    what: "`tools/list` has `params: {}` where the SDK leaves `params` out.",
    why: "Both are allowed, because `params` is optional in the schema of the request. In 2026-07-28 `_meta` requires it, and both sides send the same.",
    differences: [/^client: tools\/list: params: \{\}, theirs absent$/],
  },
  {
    id: "cancel-reason",
    what: "Another `reason` in `notifications/cancelled`.",
    why: "The reason is free text for logs. Hostside says what happened; the SDK sends the error that its caller got.",
    differences: [/^client: notifications\/cancelled: params reason: "[^"]+", theirs "(Abort|Mcp|Sdk)Error: [^"]+"$/],
  },
  {
    id: "close-cancels-calls",
    what: "`close()` cancels calls in flight before the connection ends; the SDK does not.",
    why:
      "A notified server can stop its work. Over HTTP in the legacy era a lost connection means nothing, so the tool would " +
      "otherwise run to its end.",
    differences: [/^client sends notifications\/cancelled: \d, theirs \d$/, /^server sends HTTP 202: \d, theirs \d$/],
    where: /^close-during-call script-(stdio|http)$/,
  },
  {
    id: "close-cancels-subscription",
    what: "Over stdio in 2026-07-28, `close()` cancels the subscription to changes (and calls in flight) before it ends stdin.",
    why: "The specification lets a client end a subscription with `notifications/cancelled`. A server behind a gateway would otherwise continue, because its stdin does not end.",
    differences: [/^client sends notifications\/cancelled: \d, theirs \d$/],
    where: /-stdio-2026$/,
  },
];
