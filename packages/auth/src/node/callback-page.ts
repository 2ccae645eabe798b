import { cleanText } from "@hostside/core";
import type { ServerResponse } from "node:http";

/**
 * Pages for users who come to a redirect URI: `signed-in` and `failed` how it went;
 * `received` when that is not known; `not-waited-for` an answer that is to no question; `answered`
 * a second answer to the same one.
 */
export type CallbackPage = "signed-in" | "failed" | "received" | "not-waited-for" | "answered";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/**
 * Shows a page, and ends the connection. `title` is what the server is called, in the host's words.
 */
export function showPage(response: ServerResponse, page: CallbackPage, title = ""): void {
  const { status, heading: shown, text } = pages[page];
  const heading = shown.replace("TITLE", () => cleanText(title, 100));
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="color-scheme" content="light dark"><title>${escape(heading)}</title></head>`,
    `<body><main><h1>${escape(heading)}</h1><p>${escape(text)}</p></main></body></html>`,
  ].join("");
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(html) }).end(html);
}

/** Says that there is nothing here. */
export function showNothing(response: ServerResponse): void {
  response.writeHead(404, { ...headers, "content-type": "text/plain; charset=utf-8" }).end("Nothing is here.");
}

const close = "You can close this window";
const pages: Readonly<
  Record<CallbackPage, { readonly status: number; readonly heading: string; readonly text: string }>
> = {
  "signed-in": { status: 200, heading: "Signed in to TITLE", text: `${close} and go back to where you came from.` },
  failed: {
    status: 200,
    heading: "Not signed in to TITLE",
    text: `The sign-in did not succeed. ${close}; where you came from it says why.`,
  },
  received: {
    status: 200,
    heading: "Your answer for TITLE has arrived",
    text: `${close}; where you came from you will see how it went.`,
  },
  "not-waited-for": {
    status: 400,
    heading: "This is not the sign-in that is waited for",
    text: "If you have just signed in, go back to where you came from and start again.",
  },
  answered: { status: 409, heading: "Already done", text: `This sign-in has its answer already. ${close}.` },
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
