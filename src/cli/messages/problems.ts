import { type CommandLine, type ErrorFacts, type Suggestion, usageError } from '../../errors.ts';
import type { OwnCommand } from '../parse/own-command.ts';

/** Corrects the user's command line so that the problem is gone. */
export type Fix = (own: OwnCommand) => void;

/** Collects all problems of a command line, to report them as one error. */
export class Problems {
  readonly #found: string[] = [];
  /** Required flags that are missing. They are reported in one sentence. */
  readonly #missing: string[] = [];
  readonly #own: OwnCommand | undefined;
  /** Problems that nothing can correct. */
  #unfixed = 0;
  /** Problems whose correction is known, or whose missing part is shown as a placeholder. */
  #fixed = 0;

  constructor(own?: OwnCommand) {
    this.#own = own;
  }

  /** Adds a problem. With `fix`, the suggested command is the user's own command without the problem. */
  add(problem: string, fix?: Fix): void {
    this.#found.push(problem);
    if (fix === undefined) this.#unfixed += 1;
    else this.#fixed += 1;
    if (this.#own !== undefined) fix?.(this.#own);
  }

  /**
   * Adds a problem with the value of a flag. `meant` is the value that was probably meant. Without it, the suggestion
   * shows a placeholder, but only if it also corrects something else.
   */
  value(flag: string, raw: string, problem: string, meant?: string): void {
    this.#found.push(problem);
    if (meant !== undefined) this.#fixed += 1;
    this.#own?.setValue(flag, raw, meant);
  }

  /** Adds a required flag that is missing. One that was typed without its value is already reported. */
  missingFlag(name: string, label = `--${name}`): void {
    if (this.#own?.takes(name) === false) this.missingArgument(name);
    else if (!this.#own?.has(name)) {
      this.#missing.push(label);
      this.#fixed += 1;
      this.#own?.addFlag(name);
    }
  }

  missingArgument(name: string, problem = `Missing argument <${name}>`): void {
    this.add(problem, (own) => own.addArgument(name.toUpperCase()));
  }

  /** Adds an answer to the user's command line: the value of a flag, or an argument. */
  answered(flag: string | undefined, value: string): void {
    if (flag === undefined) this.#own?.addArgument(value);
    else this.#own?.addFlag(flag, value);
  }

  /** The user's command line with all answers. */
  get line(): string | undefined {
    return this.#own?.line;
  }

  /** The user's command with another value instead of a typed one, or undefined if it doesn't have that value. */
  withValue(from: string, to: string): CommandLine | undefined {
    return this.#own?.replace(from, to) ? this.#own.line : undefined;
  }

  /** Allows suggesting the user's command, although its arguments could have been private. */
  revealCommand(): void {
    this.#own?.reveal();
  }

  /** The user's command with other flags, or undefined if it doesn't take them or must not be shown. */
  withFlags(flags: NonNullable<Suggestion['flags']>): CommandLine | undefined {
    for (const [name, value] of Object.entries(flags)) {
      if (!this.#own?.takes(name)) return undefined;
      this.#own.setFlag(name, value);
    }
    return this.#own?.line;
  }

  /** Throws one error with all problems so far, if there are any. */
  check(facts: ErrorFacts = {}): void {
    const flags = this.#missing.length === 1 ? 'flag' : 'flags';
    const missing = this.#missing.length === 0 ? [] : [`Missing required ${flags} ${this.#missing.join(', ')}`];
    const found = [...this.#found, ...missing];
    if (found.length === 0) return;
    const hint = this.#unfixed === 0 && this.#fixed > 0 ? this.#own?.line : undefined;
    throw usageError(found, { ...facts, ...(hint === undefined ? {} : { hint }) });
  }
}
