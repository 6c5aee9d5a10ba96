import { usageError } from '../../errors.ts';

/** Everything wrong with a command line, gathered so that it is reported at once. */
export class Problems {
  readonly #found: string[] = [];
  #example: string | undefined;
  #typos = 0;
  #corrected: string | undefined;

  constructor(example?: string) {
    this.#example = example;
  }

  /** `corrected` is the same command without the problem, where it can be written down. */
  add(problem: string, corrected?: string): void {
    this.#found.push(problem);
    this.#example = corrected ?? this.#example;
  }

  /** A typing error: `corrected` is the whole command as it was meant, and what to try if nothing else is wrong. */
  typo(problem: string, corrected: string): void {
    this.#found.push(problem);
    this.#typos += 1;
    this.#corrected = corrected;
  }

  /** Ends the command with everything gathered so far. */
  check(): void {
    if (this.#found.length === 0) return;
    const hint = this.#typos === this.#found.length ? this.#corrected : this.#example;
    throw usageError(this.#found, hint === undefined ? {} : { hint });
  }
}
