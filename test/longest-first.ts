import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Files that take more than four seconds on two cores, the longest first, and beside the first
// three, which start a process for each of their checks, those that mostly wait. Without a list, a
// fresh clone begins with the largest files, and may end with one that takes half a minute while
// the other cores have nothing to do. The order changes no result: a file that is missing here only
// comes later.
const longest = [
  "packages/policy/test/mutation.proof.ts",
  "packages/provider/test/simulation/mutation.proof.ts",
  "fixtures/test/faults.test.ts",
  "conformance/test/reference-hosts.test.ts",
  "packages/hostside/test/serving/serve.proof.ts",
  "packages/hostside/test/serving/serve-ends.proof.ts",
  "packages/transports/test/negotiation.test.ts",
  "packages/transports/test/handshake.test.ts",
  "packages/provider/test/processes/at-most-once.test.ts",
  "packages/provider/test/processes/hostile-servers.test.ts",
  "packages/provider/test/processes/secrets/secrets.test.ts",
  "conformance/test/cli.test.ts",
  "fixtures/test/fault-server.test.ts",
  "packages/provider/test/processes/every-transport.test.ts",
  "packages/transports/test/connection-life.test.ts",
  "packages/transports/test/stdio-life.test.ts",
  "test/readme.test.ts",
  "packages/hostside/test/terminal/call.test.ts",
  "packages/auth/test/end-to-end/hostile.test.ts",
  "packages/auth/test/end-to-end/sign-in.test.ts",
  "packages/auth/test/processes/shared-refresh.test.ts",
  "packages/cluster/test/state/postgres.test.ts",
  "packages/cluster/test/state/redis.test.ts",
  "packages/auth/test/stores/file.test.ts",
  "packages/auth/test/end-to-end/passing-failures.test.ts",
  "fixtures/test/good-servers.test.ts",
  "packages/transports/test/resources.test.ts",
  "packages/provider/test/one-decision.test.ts",
  "packages/transports/test/bombs.proof.ts",
  "packages/transports/test/every-server.test.ts",
  "packages/policy/test/simulation.test.ts",
  "packages/policy/test/denied-stays-denied.test.ts",
  "packages/transports/test/stdio-shutdown.test.ts",
  "packages/transports/test/stdio-host.test.ts",
  "packages/transports/src/http/streamable/streamable-http-transport.test.ts",
  "packages/core/src/secret-memory.test.ts",
  "packages/naming/test/naming-properties.test.ts",
  "packages/provider/test/simulation/debounced.test.ts",
  "packages/provider/test/simulation/manual.test.ts",
  "packages/provider/test/simulation/lazy.test.ts",
];

/**
 * Begins with the files that take longest, so that a run does not end with one of them. Vitest
 * takes a class here.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const gone = longest.filter((file) => !existsSync(join(root, file)));
    if (gone.length > 0) throw new Error(`test/longest-first.ts names what is not there: ${gone.join(", ")}`);
    const others = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(root, moduleId).replaceAll("\\", "/"));
      return place < 0 ? longest.length : place;
    };
    return others.sort((a, b) => rank(a) - rank(b));
  }
}
