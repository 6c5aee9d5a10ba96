import type { Json } from '../../base/json.ts';
import type { ListPlace, ListRest, Taken } from '../../cli/session/frontend.ts';
import type { Pages } from '../../output/formats.ts';
import type { Resume } from './cursor.ts';

/** Takes the records of a command as values: of a list at most so many, from the place where it resumes. */
export class Collector {
  readonly records: Json[] = [];
  /** Where each record of a list can be read again. One more place if the list has more. */
  readonly places: Resume[] = [];
  readonly from: Resume | undefined;
  readonly #most: number;
  #rows = 0;

  constructor(most: number, from?: Resume) {
    this.#most = most;
    this.from = from;
  }

  /** Returns the number of rows, with those before the place where a list resumes. */
  async take(taken: Taken): Promise<number> {
    if ('record' in taken) {
      this.records.push(taken.record);
      this.#rows += 1;
    } else {
      const next = await this.#takePages(taken.pages, taken.rest);
      if (next !== undefined) this.places.push(next);
    }
    return this.#rows;
  }

  /** Takes the rows, and returns where the list resumes if it has more. */
  async #takePages(pages: Pages, rest: ListRest | undefined): Promise<Resume | undefined> {
    const { skip = 0 } = this.from ?? {};
    let place: ListPlace | undefined;
    let index = 0;
    for await (const page of pages) {
      // A list that can't resume at a page has one page.
      if (rest?.place !== place) index = 0;
      place = rest?.place;
      for (const record of page) {
        const here = { ...place, skip: index };
        if (this.records.length === this.#most) return here;
        this.#rows += 1;
        index += 1;
        if (this.#rows <= skip) continue;
        this.records.push(record as Json);
        this.places.push(here);
      }
    }
    if (rest?.isCut) return { ...place, skip: index };
    if (rest?.nextToken === undefined) return undefined;
    const { count: _, ...next } = rest.place ?? {};
    return { ...next, token: rest.nextToken, skip: 0 };
  }
}
