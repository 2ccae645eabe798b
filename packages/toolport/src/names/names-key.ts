import { hashJson, type NamingStrategy } from "@toolport/naming";

/** Under which key the names of a server's tools are kept: one for each server, so that nobody who has other servers writes over them. */
export function namesKey(providerName: string, naming: NamingStrategy): (serverId: string) => string {
  const { prefix, separator, showServer, omitEcho = false, repaired, legal } = naming;
  const { maxLength, hashLength, hashSeparator, trimCut } = naming;
  const rules = [prefix, separator, showServer, omitEcho, repaired, legal.source, maxLength];
  // Names of another naming are no use.
  const scope = [providerName, ...rules, hashLength, hashSeparator, trimCut];
  return (serverId) => `toolport:names:${hashJson([...scope, serverId])}`;
}
