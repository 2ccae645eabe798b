import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/** What an {@linkcode EndStandstill} does at the end; tests put something else in its place. */
export interface StandstillEnd {
  readonly write: (text: string) => void;
  readonly exit: (code: number) => void;
}

const longestQuietMs = 300_000;

/**
 * Ends a run, as failed, of which nothing has been heard for five minutes, and names what was under
 * way. Tests have time limits, but the runner waits without one for what a worker says between
 * them: a worker that is stuck there would keep the run for as long as a machine lets it.
 */
export class EndStandstill implements Reporter {
  readonly #end: StandstillEnd;
  readonly #modules = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #isDebugged = false;

  constructor(
    end: StandstillEnd = { write: (text) => process.stderr.write(text), exit: (code) => process.exit(code) },
  ) {
    this.#end = end;
  }

  onInit({ config }: Pick<Vitest, "config">): void {
    this.#isDebugged = config.inspector.enabled === true;
  }

  onTestRunStart(): void {
    this.#heard();
  }

  onTestModuleQueued({ relativeModuleId }: Pick<TestModule, "relativeModuleId">): void {
    this.#modules.set(relativeModuleId, new Set());
    this.#heard();
  }

  onTestCaseReady({ module, fullName }: Pick<TestCase, "module" | "fullName">): void {
    this.#modules.get(module.relativeModuleId)?.add(fullName);
    this.#heard();
  }

  onTestCaseResult({ module, fullName }: Pick<TestCase, "module" | "fullName">): void {
    this.#modules.get(module.relativeModuleId)?.delete(fullName);
    this.#heard();
  }

  onTestModuleEnd({ relativeModuleId }: Pick<TestModule, "relativeModuleId">): void {
    this.#modules.delete(relativeModuleId);
    this.#heard();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #heard(): void {
    clearTimeout(this.#timer);
    if (this.#isDebugged) return;
    this.#timer = setTimeout(() => this.#giveUp(), longestQuietMs);
  }

  #giveUp(): void {
    const lines = Array.from(this.#modules, ([file, tests]) =>
      tests.size === 0
        ? `${file}: no test of it is under way`
        : Array.from(tests, (test) => `${file} > ${test}`).join("\n"),
    );
    this.#end.write(`\nnothing was heard of the tests for five minutes; not ended are:\n${lines.join("\n")}\n`);
    this.#end.exit(1);
  }
}
