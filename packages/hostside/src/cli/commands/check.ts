import { describePage } from "../program/configure-pages.ts";
import type { Declare } from "../program/declare.ts";

interface CheckOptions {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly strict?: boolean;
  readonly call?: readonly string[];
  readonly allowCalls?: boolean;
  readonly report?: readonly string[];
}

/** `check [server]`. */
export const declareCheck: Declare = (program, run) => {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  const command = program
    .command("check")
    .description("whether servers keep to the protocol")
    .argument("[server]", "one server alone")
    .option("--only <check>", "run these checks, by id or area, and what they need; can be given again", collect)
    .option("--skip <check>", "leave these out; can be given again", collect)
    .option("--strict", "what a server should do counts as well")
    .option("--call <tool>", "a tool that may be called, or NAME={arguments as JSON}; can be given again", collect)
    .option("--allow-calls", "every tool may be called, with arguments made from its schema")
    .option(
      "--report <file>",
      "write the report: .json, .xml (JUnit), .sarif, .html or .md; can be given again",
      collect,
    )
    .action((server: string | undefined, given: CheckOptions) =>
      run(async (context) => {
        const {
          only = [],
          skip = [],
          strict = false,
          call: calls = [],
          allowCalls = false,
          report: reports = [],
        } = given;
        const work = await import("../checking/check-servers.ts");
        return work.checkServers({ server, only, skip, strict, calls, allowCalls, reports }, context);
      }),
    );
  describePage(command, {
    purpose: "Examine",
    about: [
      "Runs the checks of @hostside/conformance, which has to be installed beside hostside: npm install --save-dev hostside @hostside/conformance. For those who write a server, and for those who wonder whether one is to blame.",
      "Only tools that declare themselves read-only are called, unless --call or --allow-calls says more.",
    ],
    examples: [
      { line: "hostside check files", does: "one server, with all checks" },
      { line: "hostside check files --only stdio --report report.html", does: "one area, and a page of it" },
    ],
    json: '{ "reports": [{ "server", "report": as report.schema.json of @hostside/conformance }] }',
    exits: {
      0: "every server passes",
      1: "one fails",
      2: "the kit is not installed",
      3: "something could not be checked, such as an entry that cannot be used",
      4: "a server could not be reached",
      5: "a server wants somebody to sign in",
    },
  });
};
