import { usageError } from '../errors.ts';

/** Everything wrong with a command line, gathered so that it is reported at once. */
export class Problems {
  readonly #found: string[] = [];
  #example: string | undefined;

  constructor(example?: string) {
    this.#example = example;
  }

  /** `mended` is the same command without the problem, where it can be written down. */
  add(problem: string, mended?: string): void {
    this.#found.push(problem);
    this.#example = mended ?? this.#example;
  }

  /** Ends the command with everything gathered so far. */
  check(): void {
    if (this.#found.length === 0) return;
    throw usageError(this.#found, this.#example === undefined ? {} : { hint: this.#example });
  }
}
