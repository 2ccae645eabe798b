/**
 * The formats that can be checked, each in time linear in the text. Whatever is not here is a note.
 */
export const formatChecks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", isDateTime],
  ["date", isDate],
  ["time", isTime],
  ["email", isEmail],
  ["uri", isUri],
  ["uuid", (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
]);

/** RFC 3339, section 5.6. */
function isDateTime(text: string): boolean {
  const at = text.search(/t/i);
  return at > 0 && isDate(text.slice(0, at)) && isTime(text.slice(at + 1));
}

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (found === null) return false;
  const [, hour = 0, minute = 0, second = 0, sign, offsetHour = 0, offsetMinute = 0] = found;
  const [h, m, s, oh, om] = [hour, minute, second, offsetHour, offsetMinute].map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (h > 23 || m > 59 || s > 60 || oh > 23 || om > 59) return false;
  if (s < 60) return true;
  // A leap second is at the end of a day, there where the offset is 0.
  const minutes = h * 60 + m - (sign === "-" ? -1 : 1) * (oh * 60 + om);
  return ((minutes % 1440) + 1440) % 1440 === 1439;
}

const atom = /^[\w!#$%&'*+/=?^`{|}~-]+$/;
const label = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;

/** RFC 5321, section 4.1.2: a dotted or quoted name at a host or an address. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > 1000) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const isQuoted = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(local);
  return (isQuoted || local.split(".").every((part) => atom.test(part))) && isMailHost(domain);
}

function isMailHost(domain: string): boolean {
  const literal = /^\[(ipv6:)?(.*)\]$/i.exec(domain);
  if (literal === null) return isHostName(domain);
  const [, isSixth, address = ""] = literal;
  return isSixth === undefined ? isIpv4(address) : isIpv6(address);
}

function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => part.length <= 63 && label.test(part));
}

/** RFC 3986, with its scheme. */
function isUri(text: string): boolean {
  const found = /^[a-z][a-z\d+.-]*:(\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text);
  if (found === null) return false;
  const [, authority, path = "", query = "", fragment = ""] = found;
  if (!isWritten(path, "/") || !isWritten(query, "/?") || !isWritten(fragment, "/?")) return false;
  return authority === undefined || isAuthority(authority.slice(2));
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const found = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(text.slice(at + 1));
  if (
    found === null ||
    text.slice(0, Math.max(0, at)).includes("@") ||
    !isWritten(text.slice(0, Math.max(0, at)), "")
  ) {
    return false;
  }
  const [, literal, host = ""] = found;
  if (literal === undefined) return isWritten(host, "");
  return isIpv6(literal) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(literal);
}

/** Nothing but characters that may stand in that part of a URI, and triplets of `%`. */
function isWritten(text: string, besides: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "%") {
      if (!/^[\da-f]{2}$/i.test(text.slice(at + 1, at + 3))) return false;
      at += 2;
    } else if (!/[\w.~!$&'()*+,;=:@-]/.test(character) && !besides.includes(character)) return false;
  }
  return true;
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** RFC 4291, section 2.2, without a zone. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? [];
  const tail = last.at(-1) ?? "";
  const hasIpv4 = tail.includes(".");
  if (hasIpv4 && !isIpv4(tail)) return false;
  const plain = groups.flat().slice(0, hasIpv4 ? -1 : undefined);
  const count = plain.length + (hasIpv4 ? 2 : 0);
  return plain.every((group) => /^[\da-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}
