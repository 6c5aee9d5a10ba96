import { type ErrorDetails, SchedError, type Suggestion } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { capital } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import { withArticle } from '../../client/ids.ts';
import { effectOf } from '../../client/outcome.ts';
import { addressOf } from '../../dialects/dialect.ts';
import type { Effect, HttpRequest } from '../../http/message.ts';
import { cutLong } from '../../output/cells.ts';
import { timeLabel } from '../../time/label.ts';
import type { Question } from '../answer/plan.ts';
import { isAnySandbox } from './connection.ts';
import { type Context, isWatched, type Shell } from './context.ts';
import { askText, askYes, type Facts, laidOut, type YesNoQuestion } from './prompt.ts';

/** Lines of a list that a prompt shows. The rest is counted, so that the question stays on the screen. */
const mostLines = 20;

/** Names come from the network and may have any length. */
const cutName = (text: string): string => cutLong(text, 500);

/** The name of the organization, or its ID. Undefined if neither is known: the prompt must work without it. */
const organizationLabel = async (context: Context, uri: string | undefined): Promise<string | undefined> => {
  // The service didn't say which one it is.
  if (uri === 'unknown') return 'unknown organization';
  try {
    const id = idIn(uri ?? (await context.identity.organization()));
    const { orgs } = await import('../../api/organizations.ts');
    const { name } = await (await context.client()).call(orgs.get, { path: { organization: id } }).catch((error) => {
      if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
      return { name: undefined };
    });
    return typeof name === 'string' && name.trim() !== '' ? name : id;
  } catch (error) {
    if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
    return undefined;
  }
};

/** A command that plans a write, and its operation if it is a single one. */
type PlaceContext = Context & Pick<Shell, 'operation'>;

/** Where a write happens: the organization (by default the user's own), the profile and the service. */
export const placeFacts = async (context: PlaceContext, organizationUri?: string): Promise<Facts> => {
  const { isSandbox, baseUrl } = await context.connection();
  const organization = await organizationLabel(context, organizationUri);
  const profile = context.settings.account?.name ?? (isSandbox ? undefined : 'token from the environment');
  return [
    ...(organization === undefined ? [] : [['organization', organization] as const]),
    ...(profile === undefined
      ? []
      : [['profile', `${profile}${context.settings.account?.profile.protected ? ' (protected)' : ''}`] as const]),
    ['service', isSandbox ? 'sandbox' : new URL(baseUrl).host],
    ...(await dialectFacts(context)),
  ];
};

/** Where a dialect sends the write, if that is another address than in the documentation. */
const dialectFacts = async ({ operation, dialect }: PlaceContext): Promise<Facts> => {
  const ownDialect = await dialect();
  if (operation === undefined || ownDialect === undefined) return [];
  const { method, path } = addressOf(ownDialect, operation);
  return method === operation.method && path === operation.path ? [] : [['request', `${method} ${path}`]];
};

/** What confirms a write where nobody can be asked, and why: a protected profile needs its name beside the flags. */
const withoutTerminal = (
  { settings: { protectedProfile } }: Shell,
  flags: Suggestion['flags'],
): Pick<ErrorDetails, 'reason' | 'hint'> =>
  protectedProfile === undefined
    ? { hint: { flags } }
    : {
        reason: words`the profile ${protectedProfile} is protected, so ${the('yes')} needs its name beside it`,
        hint: { flags: { ...flags, 'profile-is': protectedProfile } },
      };

/** Nobody can be asked about a write. */
export const unconfirmed = (
  context: Shell,
  action: string,
  flags: Suggestion['flags'] = { yes: true },
  reason?: Sentence,
): SchedError => {
  const sentence = `Confirmation needed to ${action}`;
  if (context.frontend === undefined)
    return new SchedError('confirmation-required', `${sentence}, but there is no terminal to ask on`, {
      ...(reason === undefined ? {} : { reason }),
      ...withoutTerminal(context, flags),
      outcome: 'not-sent',
    });
  return new SchedError('confirmation-required', `${sentence}, but this client can't ask`, {
    reason: 'it does not support elicitation, or prompts are turned off',
    advice: [
      'use a client that can ask, or write without a question: ',
      { command: ['mcp', 'serve'], flags: { 'allow-writes': true, yes: true } },
    ],
  });
};

/** A tool never writes with a protected profile: a person's answer to a model is not enough. */
export const refuseTool = ({ frontend, settings: { protectedProfile } }: Shell): void => {
  if (frontend === undefined || protectedProfile === undefined) return;
  throw new SchedError(
    'confirmation-required',
    `The profile "${protectedProfile}" is protected, so tools can't write with it`,
    {
      advice: 'a person can run the command in a terminal',
      outcome: 'not-sent',
    },
  );
};

/** What didn't happen, by the first word of an action. Other changes are just changes. */
const undone: Record<string, string> = {
  apply: 'applied',
  book: 'booked',
  cancel: 'canceled',
  delete: 'deleted',
  invite: 'sent',
  mark: 'marked',
  move: 'moved',
  remove: 'removed',
  revoke: 'revoked',
  send: 'sent',
  write: 'written',
};

/** The answer was no. For a person that is no error. */
export const declined = (action: string, about: 'service' | 'this machine' = 'service'): SchedError => {
  const what = undone[action.split(' ', 1)[0]!] ?? (about === 'service' ? 'sent' : 'changed');
  return new SchedError(
    'confirmation-required',
    `Not confirmed. Nothing was ${about === 'service' ? 'sent' : 'changed'}`,
    { lines: [`Nothing ${what}.`] },
  );
};

/** R49: the name of an organization is the service's text. A sandbox that is served looks like a service. */
const placeOfDeletion = async (context: Shell, place: Facts): Promise<Facts> => {
  const { hideAddresses } = await import('../messages/hide-addresses.ts');
  const isSandbox = await isAnySandbox(await context.connection());
  return place.map(([label, value]) => {
    const isServed = isSandbox && label === 'service' && value !== 'sandbox';
    return [label, hideAddresses(isServed ? `${value} (sandbox)` : value)];
  });
};

/** Prompts for a number in place of yes. In accessible mode a number picks an answer, so it gets a prompt of its own. */
const askNumber = async (context: Shell, question: YesNoQuestion, lines: string[], number: number) => {
  const { accessible } = context.settings;
  if (accessible && !(await askYes(context, { ...question, yes: 'continue and type the count' }, ''))) return false;
  const prompt = [...(accessible ? [] : lines), `Type the count to continue (${number}): `].join('\n');
  return (await askText(context, prompt)).replace(/[,.\s_']/g, '') === String(number);
};

/**
 * Draws what a question is about before it. If nobody can be asked, its lines are notes. Returns the lines for the question
 * of a tool, without their heading.
 */
const drawBefore = async (context: Shell, picture: NonNullable<Question['picture']>): Promise<string[]> => {
  const { settings, runtime, notes, frontend, now } = context;
  const { createPaint, placeText } = await import('../../output/paint.ts');
  const { asciiForm, needsAscii } = await import('../../output/ascii.ts');
  const paint = createPaint(settings.canAsk ? notes.color : undefined);
  const style = {
    time: {
      showTime: (text: string) => timeLabel(text, settings.zone, now()) ?? text,
      zoneLabel: settings.zone,
      now: now(),
    },
    paint,
    available: runtime.stderr.columns || 80,
    place: () => placeText(notes.takePlace(), paint),
    isWatched: isWatched(context),
  };
  const text = (settings.accessible ? picture.words?.(style) : undefined) ?? picture.draw(style).picture;
  const lines = text.trimEnd().split('\n');
  await notes.flush();
  if (settings.canAsk) await runtime.stderr.write(needsAscii(runtime.env) ? asciiForm(text) : text);
  else if (frontend === undefined) for (const line of lines) notes.always(line);
  return frontend === undefined ? [] : lines.slice(1);
};

/**
 * Prompts before a write, whatever `--yes` says. Throws if there is nobody to ask or the answer is no. With `this machine`,
 * the prompt names no service.
 */
export const askAbout = async (
  context: Shell,
  {
    question,
    forTool = question,
    isFinal,
    action,
    flags,
    list: given = [],
    more = 0,
    details = [],
    facts = [],
    place = [],
    number,
    organization,
    picture,
  }: Question,
  about: 'service' | 'this machine' = 'service',
): Promise<void> => {
  const { settings, runtime, notes, frontend } = context;
  refuseTool(context);
  const list = picture === undefined ? given : [...given, ...(await drawBefore(context, picture))];
  if (!(number === undefined ? context.canConfirm : settings.canAsk))
    throw unconfirmed(context, cutName(action), flags);
  const cutFacts = (all: Facts): Facts => all.map(([label, value]) => [label, cutName(value)]);
  const where = about === 'service' ? await placeFacts(context, organization) : [];
  const shownQuestion = {
    question: cutName(frontend === undefined ? question : forTool),
    isFinal,
    list: list.slice(0, mostLines).map(cutName),
    more: more + Math.max(0, list.length - mostLines),
    details: cutFacts(details),
    facts: cutFacts(facts),
    place: cutFacts([...(number === undefined ? where : await placeOfDeletion(context, where)), ...place]),
    yes: 'continue',
    no: about === 'service' ? 'stop and send nothing' : 'stop and change nothing',
  };
  const color = frontend === undefined ? notes.color : undefined;
  const { asciiForm, needsAscii } = await import('../../output/ascii.ts');
  const promptLines = await laidOut(shownQuestion, runtime.stderr.columns, color, runtime);
  const lines = needsAscii(runtime.env) ? promptLines.map(asciiForm) : promptLines;
  const isMeant = async (): Promise<boolean> => {
    if (number !== undefined) return askNumber(context, shownQuestion, lines, number);
    // The question says it itself.
    if (about === 'service') notes.takePlace();
    return frontend?.confirm === undefined
      ? askYes(context, shownQuestion, [...lines, '[y/N] '].join('\n'))
      : frontend.confirm(lines.join('\n'));
  };
  if (!(await isMeant())) throw declined(action, about);
  if (about === 'service') allowWrites(context);
};

/** Asks about a write, unless `--yes` is set. */
export const confirm = async (
  context: Shell,
  question: Question,
  about?: 'service' | 'this machine',
): Promise<void> => {
  if (context.settings.yes) refuseTool(context);
  else await askAbout(context, question, about);
};

/** The person has agreed to what the command writes. */
export const allowWrites = ({ settings }: Shell): void => {
  delete settings.protectedProfile;
};

/** Fields of a body that a question shows. The rest is counted. */
const mostFields = 12;

/** The fields of a body, each with the path to it. R49: addresses to delete are not shown. */
const bodyFacts = ({ url, body }: HttpRequest): Facts => {
  const fieldsOf = (value: unknown, path: string): Facts =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path === '' ? name : `${path}.${name}`))
      : [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  if (body === undefined || /data_compliance/.test(url)) return [];
  const facts = fieldsOf(parseJson(body) ?? {}, '').filter(([path]) => path !== '');
  const more = facts.length - mostFields;
  return more > 0 ? [...facts.slice(0, mostFields), ['and', `${more} more`]] : facts;
};

const verbs: Record<Effect, string> = { creation: 'create', change: 'change', deletion: 'delete', read: 'send' };

/** What a request writes: `change event type with ID X`, `create an event type`, `send POST /reports`. */
const writeWords = ({ operation }: Shell, request: HttpRequest): string => {
  const { method, url, subject, isBooking } = request;
  if (isBooking) return 'book a meeting';
  const thing = subject ?? (operation && withArticle(operation.reply.of.name));
  return thing === undefined ? `send ${method} ${new URL(url).pathname}` : `${verbs[effectOf(request)]} ${thing}`;
};

/** What a run does, by what it has done: `cancel` for `canceled`. */
export const verbOf = (done: string): string => Object.keys(undone).find((verb) => undone[verb] === done) ?? 'write';

/** Asks for a write with a protected profile, unless the command has asked already: `cancel 3 events`. */
export const confirmProtected = async (context: Shell, action: string, details: Facts = []): Promise<void> => {
  const { protectedProfile: name } = context.settings;
  if (name === undefined) return;
  await confirm(context, {
    question: `${capital(action)}? The profile ${name} is protected.`,
    details,
    action: `${action} with the protected profile ${name}`,
  });
};

/** The same before a request. */
export const confirmRequest = (context: Shell, request: HttpRequest): Promise<void> =>
  confirmProtected(context, writeWords(context, request), bodyFacts(request));
