import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const folder = fileURLToPath(new URL("../deployment/serve/", import.meta.url));
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));

/** The value of an instruction of the Dockerfile, as JSON. */
function instruction(name: string): readonly string[] {
  const [, json = "[]"] = new RegExp(`^.*${name} (\\[.*\\])$`, "m").exec(read("Dockerfile")) ?? [];
  return JSON.parse(json);
}

const entry = instruction("ENTRYPOINT");
const [deployment, claim, service] = parseAllDocuments(read("kubernetes.yaml")).map((one) => one.toJS());
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

describe("the image of hostside serve", () => {
  it("serves as its entry point and health check say, and ends by SIGTERM", { timeout: 90_000 }, async () => {
    const data = mkdtempSync(join(tmpdir(), "hostside-image-"));
    const env = {
      HOME: data,
      XDG_STATE_HOME: data,
      PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    };
    const args = entry
      .slice(1)
      .map((arg) => arg.replace("/etc/hostside", folder))
      .map((arg) => (arg === "0.0.0.0:7077" ? "0.0.0.0:0" : arg));
    const child = spawn(join(bin, "hostside"), args, { env, stdio: ["ignore", "ignore", "pipe"] });
    try {
      const [url] = await once(createInterface(child.stderr), "line");
      const local = url.replace("0.0.0.0", "127.0.0.1");
      const [node, ...probe] = instruction("HEALTHCHECK.* CMD").map((arg) =>
        arg.replace("http://127.0.0.1:7077/mcp", local),
      );
      expect(node).toBe("node");
      const health = spawn(process.execPath, probe, { stdio: "inherit" });
      expect(await once(health, "exit")).toEqual([0, null]);

      const token = readFileSync(join(data, "hostside/serve-token"), "utf8").trim();
      const client = new Client({ name: "test", version: "1" });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(local), { requestInit }));
      const call = { name: "tools_call", arguments: { name: "mcp_memory_read_graph", arguments: {} } };
      expect(await client.callTool(call)).toMatchObject({ structuredContent: { entities: [] } });
      await client.close();

      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      rmSync(data, { recursive: true, force: true });
    }
  });

  it("installs what the configuration starts", () => {
    const [, major] = /^FROM node:(\d+)/m.exec(read("Dockerfile")) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(20);
    const commands = Object.values<{ readonly command: string }>(JSON.parse(read("hostside.json")).servers);
    for (const { command } of commands)
      expect(read("Dockerfile")).toContain(command.replace("mcp-", "@modelcontextprotocol/"));
  });
});

describe("what starts the image", () => {
  it("is Compose with the configuration, the volume and the port that the image has", () => {
    const { services, volumes } = parse(read("compose.yaml"));
    const [config, data] = services.hostside.volumes.map((volume: string) => volume.split(":"));
    expect(config.slice(0, 2)).toEqual(["./hostside.json", entry[2]]);
    expect(volumes).toHaveProperty(data[0]);
    expect(read("Dockerfile")).toContain(`VOLUME ${data[1]}\n`);
    expect(services.hostside.ports).toEqual(["127.0.0.1:7077:7077"]);
  });

  it("is Kubernetes with volumes that are there, and a service that finds the port", () => {
    expect(pod.volumes.map(({ name }: { name: string }) => name).toSorted()).toEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name).toSorted(),
    );
    const mounts: readonly string[] = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounts).toContain(dirname(entry[2] ?? ""));
    expect(mounts).toContain(dirname(container.args.at(-1)));
    expect(pod.volumes).toContainEqual({ name: "data", persistentVolumeClaim: { claimName: claim.metadata.name } });
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
    expect(service.spec.ports[0]).toMatchObject({ port: 7077, targetPort: container.ports[0].name });
    expect(new URL(container.args[1]).host).toBe(`${service.metadata.name}:${service.spec.ports[0].port}`);
    // Readable for the group of the volumes, and for nobody else: `hostside serve` refuses other tokens.
    const token = pod.volumes.find(({ name }: { name: string }) => name === "token");
    expect([token.secret.defaultMode, pod.securityContext.fsGroup]).toEqual([0o440, pod.securityContext.runAsGroup]);
  });

  it("is systemd with the same command, on this machine only", () => {
    const [, line = ""] = /^ExecStart=\/usr\/bin\/env (.*)$/m.exec(read("hostside.service")) ?? [];
    expect(line.split(" ")).toEqual([...entry.slice(0, 5), "--token-file", "%d/token"]);
    expect(read("hostside.service")).toMatch(/^LoadCredential=token:/m);
  });
});
