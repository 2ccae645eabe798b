/** One of several answers. */
export interface PromptChoice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Options of a question for a line of text. */
export interface TextQuestion {
  /** The text that stands there already. */
  readonly initial?: string | undefined;
  /** Says what is wrong with an answer, to ask again. `undefined`: nothing. */
  readonly check?: ((text: string) => string | undefined) | undefined;
}

/**
 * Questions to a person at a terminal. Each resolves to `undefined` when the person, or the end of
 * the questions' signal, cancels it.
 */
export interface Questions {
  /** Shows lines that belong to the next question. */
  show(lines: readonly string[]): void;
  /** `initial`: the answer of who presses Enter at once. */
  choose<Value extends string>(
    message: string,
    choices: readonly PromptChoice<Value>[],
    initial?: Value,
  ): Promise<Value | undefined>;
  /** `initial`: what is chosen already. */
  chooseSome<Value extends string>(
    message: string,
    choices: readonly PromptChoice<Value>[],
    initial?: readonly string[],
  ): Promise<readonly Value[] | undefined>;
  confirm(message: string, initial?: boolean): Promise<boolean | undefined>;
  text(message: string, question?: TextQuestion): Promise<string | undefined>;
  /** Asks for a text that is not shown. */
  secret(message: string): Promise<string | undefined>;
}

/** Asks the person at a terminal. */
export interface TerminalPrompter {
  /**
   * Asks questions that belong together, while nobody else asks: they wait for their turn.
   * Everything that is shown is cleaned of escape sequences and bounded here. Rejects with the
   * signal's reason if it aborts before the first question, and otherwise settles as `work` does.
   */
  alone<Answer>(work: (questions: Questions) => Promise<Answer>, signal?: AbortSignal): Promise<Answer>;
  /**
   * Somebody is asked just now. A line that is written meanwhile tears the question apart.
   */
  readonly isAsking: boolean;
}
