import { availability } from '../../../api/availability.ts';
import { loadCatalogue, type Noun } from '../../../api/catalogue.ts';
import { compliance } from '../../../api/compliance.ts';
import { events } from '../../../api/events.ts';
import type { Operation } from '../../../api/operation.ts';

/** A text without its encoding, however often it was encoded, and however its letters are spelled. */
const folded = (text: string): string => {
  const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return plain === text ? text.normalize('NFKC').toLowerCase() : folded(plain);
};

/**
 * A path as a forgiving router might read it: encoded letters, another case, `;parameters` and an extension all lead to
 * the same operation, and must not lead around its rules.
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

/** The noun whose command an operation is. */
export const nounOf = async (operation: Operation): Promise<Noun | undefined> => {
  const rows = await loadCatalogue();
  return (Object.keys(rows) as Noun[]).find((noun) => Object.values(rows[noun]).includes(operation));
};

/** The catalogue's rows of a path, whatever their method; `/users/me` before `/users/{user}`. */
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

/** Whether addresses of people may be in what is sent or answered, so that nothing of either may be printed (R49). */
export const isPrivate = (words: readonly string[]): boolean =>
  words.some((word) => folded(word).includes(compliancePart));

/** Whether this books, wherever the service lies below its host. */
export const isBooking = (method: string, path: string): boolean => {
  const segments = segmentsOf(path);
  const isOther = segments.includes('scheduled_events') || isPrivate([path]);
  return method === 'POST' && segments.at(-1) === 'invitees' && !isOther;
};

/** How many addresses a deletion names, where its body tells. */
const addressesIn = (body: string | undefined): string => {
  try {
    const { emails } = JSON.parse(body ?? '') as { emails?: unknown };
    if (Array.isArray(emails)) return emails.length === 1 ? '1 invitee' : `${emails.length} invitees`;
  } catch {
    // It is the service's to say what is wrong with it.
  }
  return 'the invitees named';
};

/** Questions of the writes that the catalogue knows, in the words of their own commands. */
const questions: [Operation, (id: string, body?: string) => string][] = [
  [events.cancel, (id) => `Cancel event ${id} and notify its invitees?`],
  [availability.update, (id) => `Change the availability schedule ${id}? Rules that are sent replace all others.`],
  [compliance.delete, (_, body) => `Delete all data of ${addressesIn(body)}? It cannot be undone.`],
];

/** The question of a known write. Only the path's end counts: the service may lie anywhere below its host. */
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
 * The question that a write asks first: the same as its own command does, and one of its own for any other write that
 * may delete or cancel something. `path` is the whole path on the host.
 */
export const questionFor = (method: string, path: string, body: string | undefined): string | undefined => {
  if (method === 'GET') return undefined;
  const text = folded(path);
  const isAsking = [compliancePart, cancellationPart, availabilityPart].some((part) => text.includes(part));
  if (!isAsking && method !== 'DELETE') return undefined;
  const known = method === 'DELETE' ? undefined : knownQuestion(path, body);
  if (known !== undefined) return known;
  // R49: the path itself is not shown.
  if (isPrivate([path])) return `Send ${method} to ${compliancePart}? It may delete data for good.`;
  if (method === 'DELETE') return `Send DELETE ${path}? It may delete this for good.`;
  return text.includes(cancellationPart)
    ? `Send ${method} ${path}? It may cancel events and notify their invitees.`
    : `Send ${method} ${path}? Rules that are sent replace all others.`;
};
