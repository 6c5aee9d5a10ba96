import type { Operation } from '../../api/operation.ts';
import type { SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import type { Sentence } from '../../base/words.ts';
import type { Input } from '../../client/wire.ts';
import type { Pages } from '../../output/formats.ts';
import type { Paint } from '../../output/paint.ts';
import type { Column, View } from '../../output/view.ts';
import type { Happening, LiveColumns } from '../messages/live.ts';
import type { Alive, Below } from '../messages/notes.ts';
import type { Shell } from '../session/context.ts';
import type { Picture, Report, Screen } from './picture.ts';

/*
 * What a command has to say, as values. show.ts shows it in the form that was asked for. What only one kind of reader needs is
 * a function, so that no request is sent for what nobody reads.
 */

/** What a write has done. */
export interface Done {
  /** For a log: `canceled: Intro call, Mon 16 Nov 09:00`. */
  log: string;
  /** The same for a person, if that needs other words. */
  sentence?: Sentence;
  /** What a person may want to know or do next. */
  below?: readonly Below[];
  /** The sentence and lines for a person who reads no record, in other words. May send requests. */
  closer?(): Promise<Pick<Done, 'sentence' | 'below'>>;
  /** A person who reads this needs no line of the record. */
  saysAll?: true;
  /** The command line that undoes it. */
  undo?: string | undefined;
  /** Records that stay as they are, such as the meetings on a day off. */
  stays?: readonly Json[];
  /** Records that should have changed and have not. */
  failed?: readonly Json[];
  /** Sentences after it. */
  hints?: readonly Sentence[];
  /** The same, even with --quiet. */
  warnings?: readonly Sentence[];
}

/** What is said beside any answer. */
interface Beside {
  /** Sentences before it, even with --quiet. To `isSeen`, a person who sees the answer beside them, it may say less. */
  said?(isSeen: boolean): readonly Sentence[];
  /** What was done. It is said before the answer. */
  done?: Partial<Done> | undefined;
  /** Sentences after it, even with --quiet. */
  warnings?: readonly Sentence[];
  /** The same, but not with --quiet. */
  hints?: readonly Sentence[];
  /** What else to say on a terminal, below it. */
  footers?: readonly Sentence[];
  /** What a tool gets in place of it, whose results are short. */
  forTool?(): Json;
  /**
   * What is wrong, or was not done. It is reported after the answer, and decides the exit code. A function, if that is only
   * known then.
   */
  failure?: SchedError | ((rows: number) => Promise<SchedError | undefined>) | undefined;
}

/** A record, and what was done to it. */
export interface RecordAnswer extends Beside {
  kind: 'record';
  view: View;
  record: Json;
  /** A line that has all of it, for people and for lines of text. Empty if there is nothing to print. */
  text?: string | undefined;
  /** What only formats that name their values have: as lines of text, it would hide the record. */
  details?: Json;
  /** The same for programs that read a table: in CSV, and in lines of text. */
  asRows?: { view: View; rows: Json[] } | undefined;
  /** The record before a change: a page for people shows the values that were replaced. */
  before?: Json | undefined;
  /** What only its page for people shows, with requests of its own. */
  forPage?: (() => Promise<Pick<RecordAnswer, 'view' | 'record'>>) | undefined;
  /** A new record may be shown nowhere else. If the output can't have it, the error has it. */
  isNew?: boolean;
  /** A page of it to open afterwards. */
  page?: Page | undefined;
}

/** What else to say below rows on a terminal, given their number. */
type Footers = (rows: number) => Promise<readonly Sentence[]>;

/** Rows that are known, or come from several requests. */
export interface RowsAnswer extends Beside {
  kind: 'rows';
  view: View;
  pages: Pages;
  /** What it means that there are none. */
  empty?: string | undefined;
  /** What people get in place of a table. */
  report?: ((place: { isTerminal: boolean; isAscii: boolean }) => Report) | undefined;
  below?: Footers | undefined;
  /** All of them as sentences, for `-o text`. */
  sentences?(): Promise<string>;
}

/** Rows that the service lists. */
export interface ListingAnswer extends Beside {
  kind: 'listing';
  listing: Listing;
  below?: Footers | undefined;
}

/** Text that is the same for everybody. Its footers are for who reads it on a terminal. */
export interface TextAnswer extends Beside {
  kind: 'text';
  text: string;
  paint?(line: string, paint: Paint): string;
}

/** A secret that the command is there to print, such as a token. Nothing in it is hidden. */
export interface SecretAnswer extends Beside {
  kind: 'secret';
  text: string;
  /** The same as JSON, if it has that form. */
  json?: Json;
}

/** A whole file, such as a JSON Schema. Fields can't be selected. Its footers are for who reads the text on a terminal. */
export interface FileAnswer extends Beside {
  kind: 'file';
  value: Json;
  /** The value as JSON that must stay as it is: numbers are not parsed. */
  json?: string;
  /** The file as people and lines of text get it. */
  text?: string | undefined;
  /** The text is YAML. */
  isYaml?: true;
  /** Throws if the file can't be used as it is printed. */
  check?(text: string): void;
}

/** What a service sent, as it came. */
export interface RawAnswer extends Beside {
  kind: 'raw';
  /** Lines before it. */
  head?: string | undefined;
  text: string;
  /** The text is JSON: it is laid out. */
  isJson?: boolean;
  /** The JSON for forms that need its records or its value, if it has that. They throw if it can't be used. */
  parsed?: { records(): Answer; value(): object | undefined } | undefined;
}

/** Nothing is printed: what was done says it all. */
export interface NoAnswer extends Beside {
  kind: 'nothing';
}

/** A program that talks to its reader by itself, such as a server. The test of the architecture lists the few of them. */
export interface ProgramAnswer extends Beside {
  kind: 'program';
  run(shell: Shell): Promise<void>;
}

/** What became of several records, one after another. */
export interface ManyAnswer extends Omit<Beside, 'failure'> {
  kind: 'many';
  view: View;
  /** Without a log, no sentence is about this record alone. */
  each: AsyncIterable<{ record: Json; done?: Partial<Done> }>;
  /** What was done in all, said after them unless something failed. */
  done?: Partial<Done>;
  /** What was not done, once that is known. */
  failure?(): SchedError | undefined;
}

/** A picture for people. Others get a record or rows. */
export interface PictureAnswer extends Beside {
  kind: 'picture';
  others: RecordAnswer | RowsAnswer | ListingAnswer | undefined;
  /** Undefined if there is nothing to draw. */
  picture(screen: Screen): Promise<Picture | undefined>;
  /** It is for a terminal alone: a file gets what others get. */
  onScreen?: true;
  /** It says what failed, so the error doesn't say it again below. */
  saysFailure?: true;
}

/** What a stream says once it has begun. */
export interface Beginning {
  /** In one line, for a terminal whose last line says that it goes on. */
  heading: string;
  /** The rest, with --verbose. */
  details: readonly Sentence[];
  /** All of it, anywhere else. Of a stream that ends by itself, only a person on a terminal wants to know. */
  lines: readonly Sentence[];
}

/** What happens, as it happens. */
export interface StreamAnswer<Item> extends Beside {
  kind: 'stream';
  view: View;
  items(announce: (beginning: Beginning) => void): AsyncIterable<Item>;
  record(item: Item): Json;
  /** The line for people. Without columns, the result is among its words. */
  happening(item: Item, hasColumns: boolean): Happening;
  columns: LiveColumns;
  paint(line: string, paint: Paint, item: Item): string;
  /**
   * What the last line of a terminal says once the stream is announced. Without it, the stream ends by itself, and one that
   * ends early is incomplete.
   */
  alive?: (() => Alive) | undefined;
  /** Each item is an answer of its own: chosen fields, a jq program and screen readers get one at a time. */
  isEach?: true;
  /** What a person reads who has stopped it. */
  stopped?: Sentence;
}

/** A page of a record, opened in the browser in place of the record. */
interface PageAnswer extends Beside {
  kind: 'page';
  record: Json;
  page: Page;
}

export type Answer =
  | RecordAnswer
  | RowsAnswer
  | ListingAnswer
  | ManyAnswer
  | PictureAnswer
  // biome-ignore lint/suspicious/noExplicitAny: each stream has items of its own
  | StreamAnswer<any>
  | TextAnswer
  | SecretAnswer
  | FileAnswer
  | RawAnswer
  | NoAnswer
  | ProgramAnswer
  | PageAnswer;

/** How much of a list is read. Without a limit, a terminal gets a screenful, unless it is `all`. */
export interface Bounds {
  limit?: number | undefined;
  all?: boolean | undefined;
  pageSize?: number | undefined;
}

/** Which rows a list has, for its title and footer. */
export interface Scope {
  /** `your events`, or `events` if nothing limits them. */
  rows: string;
  /** The time they begin, if that is a default: ` from today on`. */
  since?: string;
  /** How to see others: `For everyone: --org current`. */
  hints?: readonly string[];
  /** What it means that there are none. */
  empty?: string;
  /** What comes next, for people whose list has no rows. */
  next?: (() => Promise<string | undefined>) | undefined;
}

/** A step on the way of the rows of a list. `draft` shows what is known of them so far. */
export type Stage = (rows: Json[], draft?: (rows: Json[]) => Promise<void>) => Promise<Json[]>;

/** A list operation, and how its rows are filtered and shown. */
export interface Listing {
  operation: Operation;
  view: View;
  input: Input;
  bounds: Bounds;
  scope: Scope;
  /** A condition on rows, in addition to the query. */
  keep?: ((row: Json) => boolean) | undefined;
  /** Filters rows with further requests. */
  choose?: Stage | undefined;
  /** Adds data to the rows that will be shown. */
  add?: Stage | undefined;
  /** The same for people only, in place of it. */
  addForScreen?: Stage | undefined;
  /** Columns that only a CSV file has. */
  forCsv?: (() => Promise<readonly Column[]>) | undefined;
  /** Its pages, if they are not those of the operation. */
  pages?: ((limit: number, remainder: Remainder) => AsyncIterable<Json[]>) | undefined;
}

/** Learns from the pages of a list whether it has more rows than are shown. */
export interface Remainder {
  /** Rows were left out because of the limit. */
  isCut: boolean;
}

/** A page of a record: the field that holds its URL, and its name. */
export interface Page {
  field: string;
  name: string;
  /** Set if the record was just created. */
  outcome?: 'applied';
}
