import type { Terminal } from "../terminal.ts";
import type { DoctorFinding } from "./finding.ts";
import { findProgram, realFiles } from "./find-program.ts";

const area = "machine";
const proxyNames: ReadonlySet<string> = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);

/** Names of the variables of proxies that are set, and no value of them. */
export function proxyVariables({ env }: Pick<Terminal, "env">): readonly string[] {
  const isSet = (name: string): boolean => proxyNames.has(name.toUpperCase()) && (env[name] ?? "") !== "";
  return Object.keys(env).filter(isSet).toSorted();
}

/** Looks at what all servers share: Node, npx, proxies and certificates. */
export async function examineMachine(
  terminal: Pick<Terminal, "env" | "cwd" | "platform" | "nodeVersion">,
): Promise<readonly DoctorFinding[]> {
  const { env, cwd, platform, nodeVersion } = terminal;
  const findings: DoctorFinding[] = [{ level: "ok", area, what: `Node ${nodeVersion}` }];
  const npx = await findProgram("npx", { env, cwd, platform, files: realFiles });
  findings.push({ level: "ok", area, what: "path" in npx ? `npx: ${npx.path}` : "npx is not on the PATH" });
  const proxies = proxyVariables(terminal);
  if (proxies.length > 0) findings.push({ level: "ok", area, what: `proxy variables are set: ${proxies.join(", ")}` });
  const certificates = env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (certificates !== "" && !(await realFiles.canRead(certificates))) {
    findings.push({
      level: "problem",
      area,
      what: "the file of NODE_EXTRA_CA_CERTS cannot be read, and Node goes on without it",
      evidence: [certificates],
      mend: { text: "name a file with certificates in PEM form, by its absolute path" },
    });
  }
  const trustsAny = "NODE_TLS_REJECT_UNAUTHORIZED";
  if (env[trustsAny] === "0") {
    findings.push({
      level: "problem",
      area,
      what: `${trustsAny}=0: any certificate is believed, so whoever is on the way reads tokens`,
      mend: { command: platform === "win32" ? `set ${trustsAny}=` : `unset ${trustsAny}` },
    });
  }
  return findings;
}
