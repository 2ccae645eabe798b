import type { PolicyMutant } from "./policy-mutant.ts";

const limits = "packages/policy/src/limits/create-limits.test.ts";
const schedules = "packages/policy/src/limits/limits-under-any-schedule.test.ts";
const breaker = "packages/policy/src/breaker/create-breaker.test.ts";
const retry = "packages/policy/src/retry/create-retry.test.ts";
const invoke = "packages/policy/src/invoke/invoke.test.ts";

/** Mistakes in limits, breaker, retry and invocations. */
export const limitMutants: readonly PolicyMutant[] = [
  {
    bug: "takes of each limit as it is looked at, so that a call which is refused uses up the others",
    patches: [
      {
        file: "limits/memory-limit-store.ts",
        find: "    if (full !== undefined) return full;\n  }\n  for (const bucket of buckets) takeFrom(bucket, now);",
        replace: "    if (full !== undefined) return full;\n    takeFrom(bucket, now);\n  }",
      },
    ],
    test: limits,
  },
  {
    bug: "gives back the token of a call that was not sent, though the bucket was full again meanwhile",
    patches: [
      {
        file: "limits/bucket.ts",
        find: "  if (!wasSent && bucket.spent > 0 && takenAt >= bucket.since) bucket.spent -= 1;",
        replace:
          "  const { rate } = bucket.rule;\n  if (!wasSent && rate !== undefined) bucket.fullAt -= rate.perMs / rate.calls;\n  if (!wasSent && bucket.spent > 0 && takenAt >= bucket.since) bucket.spent -= 1;",
      },
    ],
    test: limits,
  },
  {
    bug: "keeps the place of a waiting call that was aborted",
    patches: [
      {
        file: "limits/memory-limit-store.ts",
        find: '    signal?.addEventListener("abort", giveUp, { once: true });\n',
        replace: "",
      },
    ],
    test: limits,
  },
  {
    bug: "lets one more call in than may be under way",
    patches: [
      { file: "limits/bucket.ts", find: "bucket.active < concurrency", replace: "bucket.active <= concurrency" },
    ],
    test: schedules,
  },
  {
    bug: "joins the texts of a key, so that one user can spend what is another's",
    patches: [{ file: "limits/create-limits.ts", find: "`${text.length}:${text}`", replace: "text" }],
    test: limits,
  },
  {
    bug: "forgets a key with a budget that is used up when there are too many keys",
    patches: [
      {
        file: "limits/bucket.ts",
        find: "if (!isUnused(bucket, now)) buckets.set(other, bucket);",
        replace: "if (bucket.active > 0) buckets.set(other, bucket);",
      },
    ],
    test: "packages/policy/src/limits/bucket.test.ts",
  },
  {
    bug: "counts a tool's own failure as one of its server",
    patches: [
      {
        file: "breaker/create-breaker.ts",
        find: '    end("well");',
        replace: '    end(Reflect.get(Object(answer), "isError") === true ? "ill" : "well");',
      },
    ],
    test: breaker,
  },
  {
    bug: "counts time spent in a queue of this host as a timeout of the server",
    patches: [
      {
        file: "breaker/create-breaker.ts",
        find: '  if (outcome === "not-sent") return "unclear";\n  if (timeouts.has(code)) return "ill";',
        replace: '  if (timeouts.has(code)) return "ill";\n  if (outcome === "not-sent") return "unclear";',
      },
    ],
    test: breaker,
  },
  {
    bug: "counts a refusal during a back-off as another failure",
    patches: [{ file: "breaker/create-breaker.ts", find: " || error.details.backOff === true", replace: "" }],
    test: breaker,
  },
  {
    bug: "keeps the place of a probe that was aborted until its server answers",
    patches: [
      {
        file: "breaker/create-breaker.ts",
        find: "signal && onAbort(signal, () => end(judgeHealth(signal.reason), signal.reason))",
        replace: "undefined",
      },
    ],
    test: breaker,
  },
  {
    bug: "lets an answer to a call from before it opened count for a breaker that is half-open",
    patches: [{ file: "breaker/create-breaker.ts", find: "isOver || era !== startedInEra", replace: "isOver" }],
    test: breaker,
  },
  {
    bug: "tries a call again that may have run, whatever its effect",
    patches: [
      {
        file: "retry/may-repeat.ts",
        find: '  if (effect !== "pure" && !(effect === "idempotent-write" && hasKey)) return false;\n',
        replace: "",
      },
    ],
    test: retry,
  },
  {
    bug: "tries a call again that a limit of the host has refused",
    patches: [{ file: "retry/may-repeat.ts", find: " || error.details.policy !== undefined", replace: "" }],
    test: retry,
  },
  {
    bug: "tries an idempotent write again without a key that the server can see",
    patches: [
      {
        file: "retry/create-retry.ts",
        find: "metaKey !== undefined ? options",
        replace: "rules !== undefined ? call.options",
      },
    ],
    test: retry,
  },
  {
    bug: "begins a wait that is longer than the call has time",
    patches: [{ file: "retry/create-retry.ts", find: " || waitMs >= leftMs", replace: "" }],
    test: retry,
  },
  {
    bug: "calls an invocation retryable by the code of its error alone",
    patches: [
      {
        file: "invoke/invoke.ts",
        find: "mayRepeat(error, { effect: parts.effectOf(found.definition, found.server), hasKey })",
        replace: 'mayRepeat(error, { effect: parts.effectOf(found.definition, found.server) && "pure", hasKey })',
      },
    ],
    test: invoke,
  },
  {
    bug: "keeps the place of a call that its caller gave up for as long as a layer behind pleases",
    patches: [
      {
        file: "limits/create-limits.ts",
        find: "cancelEnd = clock.schedule(lastWordMs, end);",
        replace: "cancelEnd = () => {};",
      },
    ],
    test: "packages/policy/src/limits/limits-under-any-schedule.test.ts",
  },
  {
    bug: "frees the place of a call that its caller gave up while it is still under way",
    patches: [
      {
        file: "limits/create-limits.ts",
        find: "cancelEnd = clock.schedule(lastWordMs, end);",
        replace: "end();",
      },
    ],
    test: "packages/policy/src/limits/limits-under-any-schedule.test.ts",
  },
];
