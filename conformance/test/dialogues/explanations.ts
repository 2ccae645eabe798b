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
      "The SDK sends with `fetch`, which adds the headers of a browser; Hostside adds none, and names itself. Where a stream may answer, it asks\n" +
      "for no compression (`identity`), because a middleware that compresses may hold events back. " +
      "A host that hands in a `fetch` sends what that one adds.",
    differences: [/^client: .+: header (user-agent|accept-encoding|accept-language|sec-fetch-mode): .+, theirs .+$/],
  },
  {
    id: "delete-accept",
    what: "No `accept` header with the `DELETE` that ends a session.",
    why: "`fetch` adds `*/*` where nothing is said. Nothing is expected back, and the specification asks for the header with POST and GET alone.",
    differences: [/^client: DELETE: header accept: absent, theirs \*\/\*$/],
  },
  {
    id: "list-params",
    what: "`tools/list` has `params: {}` where the SDK leaves `params` out.",
    why: "Both are allowed, and the schema of the request makes `params` optional. In 2026-07-28, where it must be there for its `_meta`, both sides send the same.",
    differences: [/^client: tools\/list: params: \{\}, theirs absent$/],
  },
  {
    id: "cancel-reason",
    what: "Another `reason` in `notifications/cancelled`.",
    why: "The reason is free text for logs. Hostside says what happened; the SDK shows the error of its own that the caller got.",
    differences: [/^client: notifications\/cancelled: params reason: "[^"]+", theirs "(Abort|Mcp|Sdk)Error: [^"]+"$/],
  },
  {
    id: "close-cancels-calls",
    what: "`close()` cancels the calls that are under way before the connection ends; the SDK leaves them to the end of the connection.",
    why:
      "A server that is told stops working for nobody. Over HTTP in the legacy era a lost connection means nothing, and without the " +
      "notification the tool would run to its end.",
    differences: [/^client sends notifications\/cancelled: \d, theirs \d$/, /^server sends HTTP 202: \d, theirs \d$/],
    where: /^close-during-call script-(stdio|http)$/,
  },
  {
    id: "close-cancels-subscription",
    what: "Over stdio in 2026-07-28, `close()` cancels the subscription to changes (and calls under way) before it ends stdin.",
    why: "The specification lets a client end a subscription with `notifications/cancelled`; a server behind a gateway, whose stdin does not end, would go on.",
    differences: [/^client sends notifications\/cancelled: \d, theirs \d$/],
    where: /-stdio-2026$/,
  },
];
