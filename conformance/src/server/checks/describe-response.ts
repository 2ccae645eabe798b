import { truncateText } from "@hostside/core";
import type { Finding } from "../../engine/check.ts";
import type { HttpResponse, RawSession } from "../raw-session.ts";
import type { ServerTarget } from "../server-target.ts";
import { fail, pass } from "./define-check.ts";

/** The status of a response and the beginning of its body, for a report. */
export function describeResponse({ status, body }: HttpResponse): string {
  return `${status}: ${truncateText(body.trim(), 120) || "empty body"}`;
}

/** A pass where the response is `legal`, else a failure. */
export function judgeResponse(
  response: HttpResponse,
  { legal, session, target }: { readonly legal: boolean; readonly session: RawSession; readonly target: ServerTarget },
): Finding {
  return legal ? pass(String(response.status)) : fail(describeResponse(response), session, target);
}
