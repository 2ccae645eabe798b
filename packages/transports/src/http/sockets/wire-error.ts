/** What failed, with a `code` as Node's own modules give one. */
export function wireError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The connection is gone. */
export function hangUp(): Error {
  return wireError("ECONNRESET", "the connection was closed");
}

/** So many bytes came that are no part of a body. */
export function mostlyOverhead(bytes: number): Error {
  return wireError("HPE_OVERHEAD", `${bytes} bytes of heads, chunk extensions or trailers came for next to no body`);
}

/** The server went over to another protocol (HTTP 101). */
export function upgraded(): Error {
  return wireError(upgradeCode, "the server switches to another protocol");
}

/** Whether that is what failed. */
export function isUpgrade(error: Error): boolean {
  return "code" in error && error.code === upgradeCode;
}

/** Gives an error of undici's the code that Node's own HTTP would give it. */
export function fromUndiciError(error: Error): Error {
  const code = "code" in error ? error.code : undefined;
  // Which of the parser's errors it is, it says in words alone.
  if (error.name === "HTTPParserError" && code === undefined)
    return Object.assign(new Error(error.message), { code: "HPE_INVALID_RESPONSE" });
  return code === "UND_ERR_SOCKET" && error.message === "bad upgrade" ? upgraded() : error;
}

const upgradeCode = "HTTP 101";
