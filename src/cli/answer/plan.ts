import type { Operation } from '../../api/operation.ts';
import type { SchedError, Suggestion } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import type { Sentence } from '../../base/words.ts';
import type { Input } from '../../client/wire.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { Format } from '../../output/formats.ts';
import type { Change, Facts } from '../session/prompt.ts';
import type { Answer, Listing } from './answer.ts';
import type { Picture } from './picture.ts';

/*
 * What a command is about to do. carry-out.ts shows it, asks about it and sends it: what stands between a person and a write
 * is there and nowhere else.
 */

/** A question before a write. */
export interface Question extends Omit<Change, 'facts'> {
  /** The question of a tool, whose clients show it as it is: without names that people have chosen. */
  forTool?: string;
  /** The write in the error if nobody can be asked: `cancel "Intro call" (Mon 16 Nov 09:00)`. */
  action: string;
  facts?: Facts;
  /** The flags to confirm it with if nobody can be asked: --yes by default. */
  flags?: Suggestion['flags'];
  /** What a person has entered at prompts. Only that is shown then, and Enter means yes. */
  review?: readonly string[];
  /** A person enters this number in place of yes. */
  number?: number;
  /** Whose data it is about, for the place. By default, that of the user's own organization. */
  organization?: string;
  /** What it is about, drawn before the question. If nobody can be asked, its lines are notes; a tool's question has them. */
  picture?: Picture;
}

/** Requests of one operation, the first one of a list, or any. `known` is what sched knows besides. */
export type Requests = { operation: Operation; inputs: Input[]; known?: Json } | { listing: Listing } | Prepared;

export interface Prepared {
  prepared: readonly HttpRequest[];
  hidden?: HiddenBodies | undefined;
}

/** R49: bodies that are never printed. A curl command reads each from a file of the user. */
export interface HiddenBodies {
  /** The shell command that writes it. */
  from?: string;
}

/**
 * Who reads what a plan reads: a person who is asked, nobody but the error that says so, a person who is told afterwards,
 * nobody, or whoever tries it with --dry-run.
 */
export type Reader = 'asked' | 'unasked' | 'told' | 'nobody' | 'rehearsal';

/** A risk, and the error if nobody can be asked about it. --yes is not enough for it. */
export interface Danger {
  question: Question;
  unasked: SchedError;
  /** What it changes, if not the service. A person is asked about this machine with --yes too. */
  about?: 'this machine';
}

/** A write that can't be undone. If nobody can be asked about it, nothing is read. */
export interface Final extends Pick<Question, 'action' | 'flags'> {
  /** Why it needs a confirmation. */
  reason: Sentence;
  /** Why --yes alone is not enough. A person is asked even so. */
  beyondYes?: Sentence | undefined;
}

interface PlanOf<Found> {
  /** The requests for --dry-run and --curl. Sends none of its own if it can do without. Gets what `changes` needs. */
  requests(found?: Found): Promise<Requests> | Requests;
  /** What --dry-run shows in place of the requests. It needs one if their bodies are hidden. */
  preview?(format: Format, isCurl: boolean): Promise<Answer | undefined> | Answer | undefined;
  /** What the requests don't show. */
  remarks?: readonly Sentence[] | (() => Promise<readonly Sentence[]>);
  /** Throws what is wrong with the call, before anything is asked, read or made. A dry run shows it instead. */
  begin?(): Promise<void> | void;
  /** What is read before any question, whoever is asked: a file that would be written. */
  shown?(found: Found): Answer;
  /** A protected profile that it changes. --yes is only enough with its name beside it. */
  guards?: string | undefined;
  final?: Final;
  /** A risk that is asked about before anything is read or made. */
  danger?(): Promise<Danger | undefined> | Danger | undefined;
  /** The command line has agreed to it: `--confirm 12`. A tool can't agree for a person. */
  isAgreed?: boolean;
  /** Throws if a tool must not do it, or --yes alone is not enough for it. */
  mayBy?(found: Found, who: 'tool' | 'yes'): void;
  /** Whether what it names exists, for --dry-run. By default, its path is looked up. */
  check?(): Promise<unknown>;
  /** Reads what the question and the answer need. For `changes`, a dry run reads it too. */
  read?(reader: Reader): Promise<Found>;
  /** What changes: in the question, or said before the requests if nobody is asked. */
  changes?(found: Found): readonly Sentence[];
  /** The answer if there is nothing to do. */
  nothingToDo?(found: Found): Promise<Answer | undefined> | Answer | undefined;
  /** What is written, if it is more than a request: `cancel 12 events`. A protected profile asks about that. */
  action?(found: Found): string;
  /** Undefined if this needs no question. */
  question?(found: Found): Promise<Question | undefined> | Question | undefined;
  send(found: Found): Promise<Answer>;
  /** The next plan, if this one is refused and a person chooses something else. Throws any other error as it came. */
  refused?(error: unknown): Promise<Reply>;
  /** However it ended. */
  end?(): Promise<void>;
}

/** The parts that a dry run shows. */
type Rehearsed = 'requests' | 'preview' | 'remarks' | 'check';

/** A plan whose dry run shows something else than requests. */
type PreviewedPlanOf<Found> = Omit<PlanOf<Found>, 'requests'> & Required<Pick<PlanOf<Found>, 'preview'>>;

/** A plan that sends nothing to the service: it only changes this machine, or a program on it. It has no dry run. */
type OwnPlanOf<Found> = Omit<PlanOf<Found>, Rehearsed>;

// biome-ignore lint/suspicious/noExplicitAny: each plan finds something else
type AnyPlan = PlanOf<any>;

export interface Plan extends Omit<AnyPlan, Rehearsed>, Partial<Pick<AnyPlan, Rehearsed>> {
  kind: 'plan';
}

/** A plan, with what it reads. */
export const plan = <Found = undefined>(parts: PlanOf<Found> | PreviewedPlanOf<Found>): Plan => ({
  kind: 'plan',
  ...parts,
});

/** The same for what only changes this machine. */
export const ownPlan = <Found = undefined>(parts: OwnPlanOf<Found>): Plan => ({ kind: 'plan', ...parts });

/** What running a command returns. */
export type Reply = Answer | Plan;

/** A reply with another answer in place of its own. */
export const mapReply = (reply: Reply, map: (answer: Answer) => Answer): Reply =>
  reply.kind === 'plan' ? { ...reply, send: async (found) => map(await reply.send(found)) } : map(reply);
