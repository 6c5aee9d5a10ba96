import { availability } from '../../../api/availability.ts';
import { loadCatalogue, type Noun } from '../../../api/catalogue.ts';
import { compliance } from '../../../api/compliance.ts';
import { events } from '../../../api/events.ts';
import type { Operation } from '../../../api/operation.ts';
import { counted } from '../../../plural.ts';

/** Removes percent-encoding, even if applied several times, and normalizes case and Unicode variants. */
const folded = (text: string): string => {
  const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return plain === text ? text.normalize('NFKC').toLowerCase() : folded(plain);
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
      folded(segment)
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

/** The noun that an operation belongs to. */
export const nounOf = async (operation: Operation): Promise<Noun | undefined> => {
  const rows = await loadCatalogue();
  return (Object.keys(rows) as Noun[]).find((noun) => Object.values(rows[noun]).includes(operation));
};

/** The catalogue's rows for a path, with any method; `/users/me` comes before `/users/{user}`. */
export const rowsAt = async (path: string): Promise<Operation[]> => {
  const segments = segmentsOf(path);
  return Object.values(await loadCatalogue())
    .flatMap((rows) => Object.values(rows))
    .filter((row) => row.server === undefined && fits(row.path, segments))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
};

const compliancePart = compliance.delete.path.split('/')[1]!;
const cancellationPart = segmentsOf(events.cancel.path).at(-1)!;
const availabilityPart = availability.update.path.split('/')[1]!;

/** Whether the request or the reply may contain people's addresses, so that neither may be printed (R49). */
export const isPrivate = (words: readonly string[]): boolean =>
  words.some((word) => folded(word).includes(compliancePart));

/** Whether this request books. Only the end of the path counts: the base URL may have a path of its own. */
export const isBooking = (method: string, path: string): boolean => {
  const segments = segmentsOf(path);
  const isOther = segments.includes('scheduled_events') || isPrivate([path]);
  return method === 'POST' && segments.at(-1) === 'invitees' && !isOther;
};

/** The invitees that a deletion names, counted if its body can be read. */
const addressesIn = (body: string | undefined): string => {
  try {
    const { emails } = JSON.parse(body ?? '') as { emails?: unknown };
    if (Array.isArray(emails)) return counted(emails.length, 'invitee');
  } catch {
    // The service will report what is wrong with the body.
  }
  return 'the invitees in the body';
};

/** Prompts for the writes in the catalogue, worded as in their own commands. */
const questions: [Operation, (id: string, body?: string) => string][] = [
  [events.cancel, (id) => `Cancel event ${id} and notify its invitees?`],
  [availability.update, (id) => `Change availability schedule ${id}? The rules you send replace all others.`],
  [
    availability['update-all'],
    () => 'Change all availability schedules of this event type? The rules you send replace all others.',
  ],
  [compliance.delete, (_, body) => `Delete all data of ${addressesIn(body)}? This can't be undone.`],
];

/** The prompt for a known write. Only the end of the path counts: the base URL may have a path of its own. */
const knownQuestion = (path: string, body: string | undefined): string | undefined => {
  const segments = segmentsOf(path);
  const found = questions.find(([row]) => fits(row.path, segments.slice(-row.path.split('/').length + 1)));
  if (found === undefined) return undefined;
  const [row, ask] = found;
  const parts = row.path.split('/').slice(1);
  const id = path.split('/').slice(-parts.length)[parts.findIndex((part) => part.startsWith('{'))];
  return ask(id ?? '', body);
};

/**
 * The prompt before a write, or undefined if it needs none. A known write has the prompt of its own command; any other
 * write that may delete or cancel something has a general one. `path` is the whole path on the host.
 */
export const questionFor = (method: string, path: string, body: string | undefined): string | undefined => {
  if (method === 'GET') return undefined;
  const text = folded(path);
  const isAsking = [compliancePart, cancellationPart, availabilityPart].some((part) => text.includes(part));
  if (!isAsking && method !== 'DELETE') return undefined;
  const known = method === 'DELETE' ? undefined : knownQuestion(path, body);
  if (known !== undefined) return known;
  // R49: never print the path itself.
  if (isPrivate([path])) return `Send ${method} to ${compliancePart}? It may permanently delete data.`;
  if (method === 'DELETE') return `Send DELETE ${path}? It may permanently delete data.`;
  return text.includes(cancellationPart)
    ? `Send ${method} ${path}? It may cancel events and notify their invitees.`
    : `Send ${method} ${path}? The rules you send replace all others.`;
};
