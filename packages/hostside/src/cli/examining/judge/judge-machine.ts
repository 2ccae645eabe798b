import { formatCount } from "../../render/format-amount.ts";
import type { MachineFacts, ServerFacts } from "../facts.ts";
import type { DoctorFinding } from "../finding.ts";

const area = "machine";
const neededNode = { major: 20, minor: 19 };

/** What the machine does for its servers, and to them. */
export function judgeMachine(machine: MachineFacts, servers: readonly ServerFacts[]): readonly DoctorFinding[] {
  return [
    judgeNode(machine),
    ...judgePrograms(machine, servers),
    ...judgePath(machine, servers),
    ...judgeProxies(machine, servers),
    ...judgeCertificates(machine),
    ...judgeNodeOptions(machine),
  ];
}

function judgeNode({ nodeVersion }: MachineFacts): DoctorFinding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isNew = major > neededNode.major || (major === neededNode.major && minor >= neededNode.minor);
  const what = `Node ${nodeVersion}`;
  if (isNew) return { level: "ok", area, what };
  return {
    level: "problem",
    area,
    what: `${what} is too old: 20.19 or newer is needed`,
    mend: { text: "install a newer one: https://nodejs.org" },
  };
}

function judgePrograms({ programs }: MachineFacts, servers: readonly ServerFacts[]): readonly DoctorFinding[] {
  return (["npx", "npm"] as const).flatMap((name): readonly DoctorFinding[] => {
    const path = programs[name];
    if (path !== undefined) return [{ level: "ok", area, what: `${name}: ${path}` }];
    // Whoever has no server that needs it does not miss it; of one that does, the finding is its
    // own.
    const isUsed = servers.some(({ program }) => program?.command === name);
    if (isUsed) return [];
    return [{ level: "ok", area, what: `${name} is not on the PATH; no server needs it` }];
  });
}

function judgePath({ missingPathFolders }: MachineFacts, servers: readonly ServerFacts[]): readonly DoctorFinding[] {
  // A folder that is not there harms nobody who finds what they look for.
  if (missingPathFolders.length === 0 || !servers.some(({ program }) => program?.trouble === "missing")) return [];
  return [
    {
      level: "advice",
      area,
      what: `${formatCount(missingPathFolders.length, "folder")} of the PATH ${missingPathFolders.length === 1 ? "does" : "do"} not exist`,
      evidence: missingPathFolders,
      mend: { text: "look for the program that was not found where it is now, and put that folder on the PATH" },
    },
  ];
}

function judgeProxies({ proxyVariables }: MachineFacts, servers: readonly ServerFacts[]): readonly DoctorFinding[] {
  if (proxyVariables.length === 0) return [];
  const what = `proxy variables are set: ${proxyVariables.join(", ")}`;
  const stranded = servers.filter(
    ({ transport, failure }) => transport === "http" && failure !== undefined && isNetwork(failure.code),
  );
  if (stranded.length === 0) return [{ level: "ok", area, what }];
  return [
    {
      level: "advice",
      area,
      what: `${what}; servers over HTTP are reached by the proxy, but for this machine and what NO_PROXY names`,
      evidence: stranded.map(({ id }) => `${id} was not reached`),
      mend: {
        text: "see whether the proxy lets them through; name those in NO_PROXY that are reached without it",
      },
    },
  ];
}

function isNetwork(code: string): boolean {
  return ["unreachable", "dns_failed", "connect_timeout"].includes(code);
}

function judgeCertificates({
  extraCertificates,
  trustsAnyCertificate,
  platform,
}: MachineFacts): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (extraCertificates !== undefined) {
    const { file, readable } = extraCertificates;
    findings.push(
      readable
        ? { level: "ok", area, what: `NODE_EXTRA_CA_CERTS: ${file}` }
        : {
            level: "problem",
            area,
            what: "the file of NODE_EXTRA_CA_CERTS cannot be read, and Node goes on without it",
            evidence: [file],
            mend: { text: "name a file with certificates in PEM form, by its absolute path" },
          },
    );
  }
  if (trustsAnyCertificate) {
    const name = "NODE_TLS_REJECT_UNAUTHORIZED";
    findings.push({
      level: "problem",
      area,
      what: `${name}=0: any certificate is believed, so whoever is on the way reads tokens`,
      mend: { command: platform === "win32" ? `set ${name}=` : `unset ${name}` },
    });
  }
  return findings;
}

function judgeNodeOptions({ nodeOptions, platform }: MachineFacts): readonly DoctorFinding[] {
  if (nodeOptions.length === 0) return [];
  const risky = nodeOptions.filter((option) =>
    /^--(?:inspect|require|import|loader|experimental-loader)|^-r$/.test(option),
  );
  const what = `NODE_OPTIONS: ${nodeOptions.join(" ")}`;
  if (risky.length === 0) return [{ level: "ok", area, what }];
  return [
    {
      level: "advice",
      area,
      what: `NODE_OPTIONS changes every Node program: ${risky.join(", ")}`,
      mend: { command: platform === "win32" ? "set NODE_OPTIONS=" : "unset NODE_OPTIONS" },
    },
  ];
}
