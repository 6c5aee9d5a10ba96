import { type ErrorDetails, usageError } from '../../base/errors.ts';
import { asFlags, type Issue, type Sentence, type Spelling, spell, the, type Words, words } from '../../base/words.ts';
import type { OwnCommand } from '../parse/own-command.ts';

/** Corrects the user's command line so that the problem is gone. */
export type Fix = (own: OwnCommand) => void;

/** Collects all problems of a command line, to report them as one error. */
export class Problems {
  readonly #found: string[] = [];
  /** Required flags that are missing. They are reported in one sentence. */
  readonly #missing: string[] = [];
  /** Flags with a wrong value. */
  readonly #refused = new Set<string>();
  readonly #makeOwn: (() => OwnCommand) | undefined;
  readonly #spelling: Spelling;
  #madeOwn: OwnCommand | undefined;
  /** Problems that nothing can correct. */
  #unfixed = 0;
  /** Problems whose correction is known, or whose missing part is shown as a placeholder. */
  #fixed = 0;

  /** The user's command line is made only if there is something to suggest. `spelling` is how the call names values. */
  constructor(makeOwn?: () => OwnCommand, spelling = asFlags) {
    this.#makeOwn = makeOwn;
    this.#spelling = spelling;
  }

  /** Adds a problem in the words of the call. */
  report(issue: Issue): void {
    if ('missing' in issue) {
      this.missingFlag(issue.missing, issue.words);
      return;
    }
    const { about, raw, words, correction, adds, drops } = issue;
    const problem = spell(words, this.#spelling, about);
    if (about !== undefined && raw !== undefined) this.value(about.name, raw, problem, correction);
    else if (adds !== undefined)
      this.add(problem, (own) =>
        own.takes(adds.name) ? own.addFlag(adds.name) : own.addArgument(adds.name.toUpperCase()),
      );
    else this.add(problem, drops === undefined ? undefined : (own) => own.setFlag(drops.name, false));
  }

  /** The user's command line, without the problems so far. */
  get own(): OwnCommand | undefined {
    this.#madeOwn ??= this.#makeOwn?.();
    return this.#madeOwn;
  }

  /** Adds a problem. With `fix`, the suggested command is the user's own command without the problem. */
  add(problem: Sentence, fix?: Fix): void {
    this.#found.push(spell(problem, this.#spelling));
    if (fix === undefined) this.#unfixed += 1;
    else this.#fixed += 1;
    if (this.own !== undefined) fix?.(this.own);
  }

  /**
   * Adds a problem with the value of a flag. `meant` is the value that was probably meant. Without it, the suggestion
   * shows a placeholder, but only if it also corrects something else.
   */
  value(flag: string, raw: string, problem: Sentence, correction?: string): void {
    this.#found.push(spell(problem, this.#spelling));
    this.#refused.add(flag);
    if (correction !== undefined) this.#fixed += 1;
    this.own?.setValue(flag, raw, correction);
  }

  /** Adds a required flag that is missing. One that was given without its value is already reported. */
  missingFlag(name: string, label: Words = [the(name)]): void {
    if (!this.#refused.has(name) && !this.own?.has(name)) {
      this.#missing.push(spell(label, this.#spelling));
      this.#fixed += 1;
      this.own?.addFlag(name);
    }
  }

  missingArgument(name: string, problem: Sentence = words`Missing argument ${{ name, place: 'argument' }}`): void {
    this.add(problem, (own) => own.addArgument(name.toUpperCase()));
  }

  /** All problems so far, in the words of the call. */
  get texts(): string[] {
    return this.#missing.length === 0 ? this.#found : [...this.#found, this.#spelling.missing(this.#missing)];
  }

  /** Throws one error with all problems so far, if there are any. */
  check(details: ErrorDetails = {}): void {
    const texts = this.texts;
    if (texts.length === 0) return;
    const hint = this.#unfixed === 0 && this.#fixed > 0 ? this.own?.line : undefined;
    throw usageError(texts, { ...details, ...(hint === undefined ? {} : { hint }) });
  }
}
