/** A model API that answers with what a test wrote, and keeps what it was sent. */
export interface FakeApi {
  readonly fetch: typeof globalThis.fetch;
  /** The bodies of the requests, parsed. */
  readonly bodies: Body[];
}

/** A request to a model API, as far as tests look. */
export interface Body {
  readonly [member: string]: unknown;
}

/**
 * Gives one answer for each request: JSON, or the lines of a stream. One request too many fails.
 */
export function createFakeApi(...answers: readonly (object | string)[]): FakeApi {
  const bodies: Body[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const answer = answers[bodies.length];
    bodies.push(JSON.parse(typeof init?.body === "string" ? init.body : "{}"));
    if (answer === undefined) return new Response("{}", { status: 400 });
    if (typeof answer === "string") return new Response(answer, { headers: { "content-type": "text/event-stream" } });
    return Response.json(answer);
  };
  return { fetch, bodies };
}

/** Server-sent events of a model API. */
export function sse(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
