import { usageError } from '../../errors.ts';

/** Everything wrong with a command line, gathered so that it is reported at once. */
export class Problems {
  readonly #found: string[] = [];
  #example: string | undefined;
  #slips = 0;
  #mended: string | undefined;

  constructor(example?: string) {
    this.#example = example;
  }

  /** `mended` is the same command without the problem, where it can be written down. */
  add(problem: string, mended?: string): void {
    this.#found.push(problem);
    this.#example = mended ?? this.#example;
  }

  /** A slip of the pen: `mended` is the whole command as it was meant, and what to try if nothing else is wrong. */
  slip(problem: string, mended: string): void {
    this.#found.push(problem);
    this.#slips += 1;
    this.#mended = mended;
  }

  /** Ends the command with everything gathered so far. */
  check(): void {
    if (this.#found.length === 0) return;
    const hint = this.#slips === this.#found.length ? this.#mended : this.#example;
    throw usageError(this.#found, hint === undefined ? {} : { hint });
  }
}
