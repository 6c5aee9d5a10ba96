import { SchedError, type Suggestion } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { addressOf } from '../../dialects/dialect.ts';
import { cutLong } from '../../output/cells.ts';
import type { Context } from './context.ts';
import { askYes, type Change, type Facts, laidOut } from './prompt.ts';

export interface Confirmation extends Omit<Change, 'facts'> {
  /** The write in the error if there is no terminal: `cancel "Intro call" (Mon 16 Nov 09:00)`. */
  action: string;
  facts?: Facts;
  /** The flags to confirm it with if there is no terminal: --yes by default. */
  flags?: Suggestion['flags'];
}

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

/** Where a write happens: the organization (by default the user's own), the profile and the service. */
export const placeFacts = async (context: Context, organizationUri?: string): Promise<Facts> => {
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
const dialectFacts = async ({ operation, dialect }: Context): Promise<Facts> => {
  const ownDialect = await dialect();
  if (operation === undefined || ownDialect === undefined) return [];
  const { method, path } = addressOf(ownDialect, operation);
  return method === operation.method && path === operation.path ? [] : [['request', `${method} ${path}`]];
};

/** Nobody can be asked about a write. */
const unconfirmed = (action: string, isTool: boolean, flags: Suggestion['flags']): SchedError => {
  const sentence = `Confirmation needed to ${action}`;
  if (!isTool)
    return new SchedError('confirmation-required', `${sentence}, but there is no terminal to ask on`, {
      hint: { flags },
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
export const refuseTool = ({ frontend, settings: { protectedProfile } }: Context): void => {
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

/**
 * Prompts before a write. Returns without a prompt if `--yes` is set; throws if there is no terminal or the answer is
 * no. With `this machine`, the prompt names no service.
 */
export const confirm = async (
  context: Context,
  {
    question,
    isFinal,
    action,
    flags = { yes: true },
    list = [],
    more = 0,
    details = [],
    facts = [],
    place = [],
  }: Confirmation,
  about: 'service' | 'this machine' = 'service',
): Promise<void> => {
  const { settings, runtime, notes, frontend } = context;
  refuseTool(context);
  if (settings.yes) return;
  const named = settings.protectedProfile && { 'profile-is': settings.protectedProfile };
  if (!context.canConfirm) throw unconfirmed(cutName(action), frontend !== undefined, { ...flags, ...named });
  const cutFacts = (all: Facts): Facts => all.map(([label, value]) => [label, cutName(value)]);
  const shownQuestion = {
    question: cutName(question),
    isFinal,
    list: list.slice(0, mostLines).map(cutName),
    more: more + Math.max(0, list.length - mostLines),
    details: cutFacts(details),
    facts: cutFacts(facts),
    place: cutFacts([...(about === 'service' ? await placeFacts(context) : []), ...place]),
    yes: 'continue',
    no: about === 'service' ? 'stop and send nothing' : 'stop and change nothing',
  };
  const color = frontend === undefined ? notes.color : undefined;
  const { asciiForm, needsAscii } = await import('../../output/ascii.ts');
  const promptLines = await laidOut(shownQuestion, runtime.stderr.columns, color, runtime);
  const lines = needsAscii(runtime.env) ? promptLines.map(asciiForm) : promptLines;
  // The question says it itself.
  if (about === 'service') notes.takePlace();
  const isConfirmed =
    frontend?.confirm === undefined
      ? await askYes(context, shownQuestion, [...lines, '[y/N] '].join('\n'))
      : await frontend.confirm(lines.join('\n'));
  if (!isConfirmed) throw declined(action, about);
  if (about === 'service') allowWrites(context);
};

/** The person has agreed to what the command writes. */
export const allowWrites = ({ settings }: Context): void => {
  delete settings.protectedProfile;
};

/** Asks for a write with a protected profile, unless the command has asked already. */
export const confirmProtected = async (context: Context): Promise<void> => {
  const { protectedProfile: name } = context.settings;
  if (name === undefined) return;
  await confirm(context, {
    question: `The profile ${name} is protected. Write with it?`,
    action: `write with the protected profile ${name}`,
  });
};
