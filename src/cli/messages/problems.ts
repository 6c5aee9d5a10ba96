import { type ErrorFacts, usageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { asFlags, type Issue, type Spelling, spell, the, type Words } from '../input/words.ts';
import type { OwnCommand } from '../parse/own-command.ts';

/** Corrects the user's command line so that the problem is gone. */
export type Fix = (own: OwnCommand) => void;

/** Collects all problems of a command line, to report them as one error. */
export class Problems {
  readonly #found: string[] = [];
  /** Required flags that are missing. They are reported in one sentence. */
  readonly #missing: string[] = [];
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
    const { about, raw, words, meant, adds, drops } = issue;
    const problem = spell(words, this.#spelling, about);
    if (about !== undefined && raw !== undefined) this.value(about.name, raw, problem, meant);
    else if (adds !== undefined)
      this.add(problem, (own) => (own.takes(adds) ? own.addFlag(adds) : own.addArgument(adds.toUpperCase())));
    else this.add(problem, drops === undefined ? undefined : (own) => own.setFlag(drops, false));
  }

  /** The user's command line, without the problems so far. */
  get own(): OwnCommand | undefined {
    this.#madeOwn ??= this.#makeOwn?.();
    return this.#madeOwn;
  }

  /** Adds a problem. With `fix`, the suggested command is the user's own command without the problem. */
  add(problem: string, fix?: Fix): void {
    this.#found.push(problem);
    if (fix === undefined) this.#unfixed += 1;
    else this.#fixed += 1;
    if (this.own !== undefined) fix?.(this.own);
  }

  /**
   * Adds a problem with the value of a flag. `meant` is the value that was probably meant. Without it, the suggestion
   * shows a placeholder, but only if it also corrects something else.
   */
  value(flag: string, raw: string, problem: string, meant?: string): void {
    this.#found.push(problem);
    if (meant !== undefined) this.#fixed += 1;
    this.own?.setValue(flag, raw, meant);
  }

  /** Returns the value of a flag. Adds a problem if the flag doesn't allow it. */
  choice<Choice extends string>(flag: string, typed: unknown, allowed: readonly Choice[]): Choice | undefined {
    const raw = String(typed);
    const known = allowed.find((each) => each === raw);
    if (typed === undefined || known !== undefined) return known;
    const [only, ...others] = allowed;
    const wanted = others.length === 0 ? only : `one of ${allowed.join(', ')}`;
    this.value(
      flag,
      raw,
      `--${flag} must be ${wanted}, not "${raw}"`,
      others.length === 0 ? only : nearest(raw, allowed),
    );
    return undefined;
  }

  /** Adds a required flag that is missing. One that was typed without its value is already reported. */
  missingFlag(name: string, label: Words = [the(name)]): void {
    if (this.own?.takes(name) === false) this.missingArgument(name);
    else if (!this.own?.has(name)) {
      this.#missing.push(spell(label, this.#spelling));
      this.#fixed += 1;
      this.own?.addFlag(name);
    }
  }

  missingArgument(name: string, problem = `Missing argument ${this.#spelling.name(name, 'argument')}`): void {
    this.add(problem, (own) => own.addArgument(name.toUpperCase()));
  }

  /** All problems so far, in the words of the call. */
  get texts(): string[] {
    return this.#missing.length === 0 ? this.#found : [...this.#found, this.#spelling.missing(this.#missing)];
  }

  /** Throws one error with all problems so far, if there are any. */
  check(facts: ErrorFacts = {}): void {
    const found = this.texts;
    if (found.length === 0) return;
    const hint = this.#unfixed === 0 && this.#fixed > 0 ? this.own?.line : undefined;
    throw usageError(found, { ...facts, ...(hint === undefined ? {} : { hint }) });
  }
}
