import type { Json } from '../../base/json.ts';
import type { Pages } from '../../output/formats.ts';
import type { Notes } from '../messages/notes.ts';

/** Where a page of a list begins. Without a token it is the first page. */
export interface ListPlace {
  token?: string;
  /** Results to request. Default: as many as the list needs. */
  count?: number;
  /** The query of the first page. A page token belongs to it, and words such as "today" could now mean another one. */
  query?: Readonly<Record<string, string | number | boolean>>;
}

/** What a list has beyond the rows of its current page. */
export interface ListRest {
  /** Where the page begins, if the list can resume there. */
  readonly place?: ListPlace | undefined;
  readonly nextToken?: string | undefined;
  /** Rows are left out because of the limit. */
  readonly isCut: boolean;
}

/** What a program gets of an answer. It reads `rest` after each page. */
export type Taken = { record: Json } | { pages: Pages; rest?: ListRest };

/** A program that runs commands for a person, in place of a terminal. */
export interface Frontend {
  notes: Notes;
  /** Where lists begin. */
  from?: ListPlace | undefined;
  /** Returns the number of records so far. */
  take(taken: Taken): Promise<number>;
  /** Asks the person to confirm a write. Missing if the person can't be asked. */
  confirm?(question: string): Promise<boolean>;
  /** Called before a plan is carried out. Throws to hold it back. */
  beforeSend?(): void;
}
