import { hashJson, type NamingStrategy } from "@hostside/naming";

/**
 * Under which key the names of a server's tools are kept: one for each server, so that nobody who
 * has other servers writes over them.
 */
export function namesKey(providerName: string, naming: NamingStrategy): (serverId: string) => string {
  const scope = scopeOf(providerName, naming);
  return (serverId) => `hostside:names:${hashJson([...scope, serverId])}`;
}

// Names of another naming are no use.
function scopeOf(providerName: string, naming: NamingStrategy): (string | number | boolean)[] {
  const { prefix, separator, showServer, omitEcho = false, repaired, legal } = naming;
  const { maxLength, hashLength, hashSeparator, trimCut } = naming;
  const rules = [prefix, separator, showServer, omitEcho, repaired, legal.source, maxLength];
  return [providerName, ...rules, hashLength, hashSeparator, trimCut];
}
