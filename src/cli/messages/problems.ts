import { usageError } from '../../errors.ts';

/** Collects all problems of a command line, to report them as one error. */
export class Problems {
  readonly #found: string[] = [];
  #example: string | undefined;
  #typos = 0;
  #corrected: string | undefined;

  constructor(example?: string) {
    this.#example = example;
  }

  /** Adds a problem. `corrected` is the same command without the problem, if known. */
  add(problem: string, corrected?: string): void {
    this.#found.push(problem);
    this.#example = corrected ?? this.#example;
  }

  /** Adds a typo. `corrected` is the command as it was probably meant. It is the hint if there are only typos. */
  typo(problem: string, corrected: string): void {
    this.#found.push(problem);
    this.#typos += 1;
    this.#corrected = corrected;
  }

  /** Throws one error with all problems so far, if there are any. */
  check(): void {
    if (this.#found.length === 0) return;
    const hint = this.#typos === this.#found.length ? this.#corrected : this.#example;
    throw usageError(this.#found, hint === undefined ? {} : { hint });
  }
}
