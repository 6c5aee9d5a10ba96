import { availability } from '../../api/availability.ts';
import { allOperations } from '../../api/catalogue.ts';
import { compliance } from '../../api/compliance.ts';
import { events } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { isBooking } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import { invitations } from '../../api/organizations.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject, jsonIn } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import type { Question, Reader } from '../../cli/answer/plan.ts';
import type { Context } from '../../cli/session/context.ts';
import { isPlainId } from '../../client/ids.ts';
import { addressOf, type Dialect } from '../../dialects/dialect.ts';
import { ruleWords } from '../../time/availability-rules.ts';
import { inviteQuestion } from '../administration.ts';

/** Removes percent-encoding, even if applied several times, and normalizes case and Unicode variants. */
const comparablePath = (text: string): string => {
  const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return plain === text ? text.normalize('NFKC').toLowerCase() : comparablePath(plain);
};

/**
 * The path as a lenient router might read it. Encoded letters, another case, `;parameters` and an extension may all reach
 * the same operation, so they must not bypass its rules.
 */
const segmentsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) =>
      comparablePath(segment)
        .split(';')[0]!
        .trim()
        .replace(/\.(json|xml)$/, ''),
    );

const fits = (template: string, segments: readonly string[]): boolean => {
  const parts = template.split('/').slice(1);
  return (
    parts.length === segments.length && parts.every((part, index) => part.startsWith('{') || part === segments[index])
  );
};

/** Where an operation may be: at the address of the catalogue, and at the one that the service's dialect has. */
const pathsOf = (row: Operation, dialect: Dialect | undefined): string[] => [row.path, addressOf(dialect, row).path];

/** Whether the end of a path is that of the operation: the base URL may have a path of its own. */
const endsAt = (row: Operation, segments: readonly string[], dialect: Dialect | undefined): string | undefined =>
  pathsOf(row, dialect).find((path) => fits(path, segments.slice(-path.split('/').length + 1)));

/** The rows for a path, with any method; `/users/me` comes before `/users/{user}`. */
export const rowsAt = async (path: string, dialect: Dialect | undefined): Promise<Operation[]> => {
  const segments = segmentsOf(path);
  return (await allOperations())
    .filter((row) => row.server === undefined && pathsOf(row, dialect).some((each) => fits(each, segments)))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
};

const compliancePart = compliance.delete.path.split('/')[1]!;
const cancellationPart = segmentsOf(events.cancel.path).at(-1)!;
const availabilityPart = availability.update.path.split('/')[1]!;
const noShowPart = segmentsOf(invitees['no-show'].path).at(-1)!;
const invitationPart = invitations.create.path.slice(1);

/** Whether the request or the reply may contain people's addresses, so that neither may be printed (R49). */
export const isPrivate = (words: readonly string[], dialect: Dialect | undefined): boolean =>
  words.some(
    (word) => comparablePath(word).includes(compliancePart) || endsAt(compliance.delete, segmentsOf(word), dialect),
  );

/** Whether this request may book. Only the end of the path counts: the base URL may have a path of its own. */
export const mayBook = (method: string, path: string, dialect: Dialect | undefined): boolean => {
  const segments = segmentsOf(path);
  const isOther = segments.includes(events.list.path.slice(1)) || isPrivate([path], dialect);
  const own = addressOf(dialect, invitees.create);
  const isMoved = own.path !== invitees.create.path && endsAt(invitees.create, segments, dialect) === own.path;
  return isMoved ? method === own.method : isBooking({ method, path: `/${segments.at(-1)}` }) && !isOther;
};

/** A list in the body. Undefined if the body can't be read: the service will report what is wrong with it. */
const listIn = (body: string | undefined, name: string): unknown[] | undefined => {
  const value = jsonIn(body);
  return isObject(value) && Array.isArray(value[name]) ? value[name] : undefined;
};

/** The invitees that a deletion names, counted if its body can be read. */
const addressesInPath = (body: string | undefined): string => {
  const emails = listIn(body, 'emails');
  return emails === undefined ? 'the invitees in the body' : counted(emails.length, 'invitee');
};

/** The rules in the body in words, one per line. None if the body can't be read. */
const rulesIn = (body: string | undefined): string[] => (listIn(body, 'rules') ?? []).filter(isObject).map(ruleWords);

/** Asks about the event itself if it can be read. Reads nothing if nobody is asked. */
const cancelPrompt: AskAbout = async (context, reader, id, body) => {
  const plainQuestion = {
    question: `Cancel event ${id} and notify its invitees?`,
    isFinal: true,
    action: `cancel event ${id}`,
  };
  if (reader !== 'asked' || !isPlainId(id)) return plainQuestion;
  const { cancelQuestion, readEvents } = await import('../events/screen.ts');
  try {
    const parsedBody = jsonIn(body ?? '');
    const reason = isObject(parsedBody) ? parsedBody.reason : undefined;
    return await cancelQuestion(context, await readEvents(context, [id]), reader, { reason });
  } catch (error) {
    // Any path can be sent, even if the service doesn't show the event.
    if (hasCategory(error, 'forbidden', 'unavailable', 'integrity')) return plainQuestion;
    throw error;
  }
};

type AskAbout = (context: Context, reader: Reader, id: string, body?: string) => Question | Promise<Question>;

const replaces = 'The rules you send replace all others.';

/** Prompts for the writes in the catalogue, worded as in their own commands. */
const questions: [Operation, AskAbout][] = [
  [events.cancel, cancelPrompt],
  [
    invitees['no-show'],
    (_, __, id) => ({
      question: `Mark invitee ${id || 'in the body'} as no-show? sched can't check here whether the meeting has started.`,
      action: `mark invitee ${id || 'in the body'} as no-show`,
    }),
  ],
  [invitations.create, () => inviteQuestion('the person in the body')],
  [
    availability.update,
    (_, __, id, body) => ({
      question: `Change availability schedule ${id}? ${replaces}`,
      action: `change availability schedule ${id}`,
      list: rulesIn(body),
    }),
  ],
  [
    availability['update-all'],
    (_, __, ___, body) => ({
      question: `Change all availability schedules of this event type? ${replaces}`,
      action: 'change all availability schedules of this event type',
      list: rulesIn(body),
    }),
  ],
  [
    compliance.delete,
    (_, __, ___, body) => ({
      question: `Delete all data about ${addressesInPath(body)}? This can't be undone.`,
      isFinal: true,
      action: `delete all data of ${addressesInPath(body)}`,
    }),
  ],
];

/** The prompt for a known write. Only the end of the path counts: the base URL may have a path of its own. */
const knownQuestion = (
  context: Context,
  path: string,
  body: string | undefined,
  dialect: Dialect | undefined,
  reader: Reader,
): Promise<Question> | Question | undefined => {
  const segments = segmentsOf(path);
  for (const [row, ask] of questions) {
    const template = endsAt(row, segments, dialect);
    if (template === undefined) continue;
    const parts = template.split('/').slice(1);
    const id = path.split('/').slice(-parts.length)[parts.findLastIndex((part) => part.startsWith('{'))];
    return ask(context, reader, id ?? '', body);
  }
  return undefined;
};

/**
 * The prompt before a write, or undefined if it needs none. A known write has the prompt of its own command; any other
 * write that may delete or cancel something has a general one. `path` is the whole path on the host.
 */
export const questionFor = async (
  context: Context,
  method: string,
  path: string,
  body: string | undefined,
  reader: Reader,
): Promise<Question | undefined> => {
  if (method === 'GET' || reader === 'told' || reader === 'nobody') return undefined;
  const text = comparablePath(path);
  const dialect = await context.dialect();
  const confirmation = method === 'DELETE' ? undefined : knownQuestion(context, path, body, dialect, reader);
  if (confirmation !== undefined) return confirmation;
  const parts = [compliancePart, cancellationPart, availabilityPart, noShowPart, invitationPart];
  const isAsking = parts.some((part) => text.includes(part));
  if (!isAsking && method !== 'DELETE') return undefined;
  // R49: never print the path itself.
  const requestText = `${method} ${isPrivate([path], dialect) ? `to ${compliancePart}` : path}`;
  return { question: `Send ${requestText}? ${dangerOf(method, text)}`, isFinal: true, action: `send ${requestText}` };
};

/** What a write to an unknown path may do, by the words in its path. */
const dangerOf = (method: string, path: string): string => {
  if (method === 'DELETE' || path.includes(compliancePart)) return 'It may permanently delete data.';
  if (path.includes(cancellationPart)) return 'It may cancel events and notify their invitees.';
  if (path.includes(invitationPart)) return 'It may invite people to the organization.';
  return path.includes(noShowPart) ? 'It may mark invitees as no-show.' : replaces;
};
