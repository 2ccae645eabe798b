/** How an operation went, and how that is said in a table. */
export type Outcome<T> =
  | { readonly kind: "worked"; readonly value: T }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "hung" };

/** Waits for an operation, for a while: a contender that hangs must not hang the measurement. */
export async function outcomeOf<T>(operation: Promise<T>, patienceMs = 5000): Promise<Outcome<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hung = new Promise<Outcome<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "hung" }), patienceMs);
  });
  const settled = operation.then(
    (value): Outcome<T> => ({ kind: "worked", value }),
    (error: unknown): Outcome<T> => ({ kind: "failed", reason: summary(error) }),
  );
  const outcome = await Promise.race([settled, hung]);
  clearTimeout(timer);
  return outcome;
}

/** `works`, `fails (why)` or `hangs`. */
export function say(outcome: Outcome<unknown>): string {
  if (outcome.kind === "failed") return `fails (${outcome.reason})`;
  return outcome.kind === "hung" ? "hangs" : "works";
}

function summary(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [line = ""] = text.split("\n");
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
