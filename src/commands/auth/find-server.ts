import { type AuthServer, endpointNames, foreignEndpoints, usualServer } from '../../auth/auth-server.ts';
import { type Discovered, discover } from '../../auth/discovery.ts';
import { SchedError } from '../../base/errors.ts';
import { declined } from '../../cli/session/confirm.ts';
import type { Shell } from '../../cli/session/context.ts';
import type { Profile } from '../../cli/session/profile-schema.ts';
import { askYes, factLines, type YesNoQuestion } from '../../cli/session/prompt.ts';
import { type AddressParts, pinnedParts } from '../../cli/session/server-addresses.ts';
import { safe } from '../../output/sanitize.ts';

/** How the secret is sent is no address: the way that worked at the last login is the first to be tried. */
type ServerAddress = Exclude<keyof AddressParts, 'clientAuth'>;

const addresses: readonly ServerAddress[] = ['issuer', ...endpointNames];

const askAboutServer = (context: Shell, question: YesNoQuestion): Promise<boolean> => {
  const facts = factLines(question.facts, false).join('\n');
  const [first, last] = question.question.split('\n') as [string, string];
  return askYes(
    context,
    { ...question, question: `${first} ${last}` },
    `${safe(first)}\n${facts}\n${safe(last)} [y/N] `,
  );
};

/** The addresses that the metadata describes differently from the profile. */
const changesIn = (discovered: AuthServer, pinned: AddressParts): ServerAddress[] =>
  addresses.filter(
    (part) => pinned[part] !== undefined && discovered[part] !== undefined && discovered[part] !== pinned[part],
  );

/** R7: the addresses of a profile never change without the user. Without a terminal to ask on, they stay as they are. */
const withPinned = async (discovery: Discovered, pinned: AddressParts, context: Shell): Promise<AuthServer> => {
  const profileServer = { ...discovery.server, ...pinned };
  const changes = changesIn(discovery.server, pinned);
  if (changes.length === 0) return profileServer;
  const facts = changes.map((part) => [part, `${pinned[part]} (now ${discovery.server[part]})`] as const);
  if (!context.settings.canAsk) {
    context.notes.warn('The metadata of the authorization server differs from the profile. The profile is used:');
    for (const line of factLines(facts, context.settings.accessible)) context.notes.warn(line);
    return profileServer;
  }
  const isWanted = await askAboutServer(context, {
    question:
      'The metadata of the authorization server differs from the addresses in the profile.\nUse the new addresses?',
    facts,
    yes: 'log in with the new addresses and keep them',
    no: 'log in with the addresses in the profile',
  });
  return isWanted ? discovery.server : profileServer;
};

/** R7: before a code or token goes to another origin, the user confirms it. `--yes` is not enough for that. */
const confirmForeign = async (server: AuthServer, pinned: AddressParts, context: Shell): Promise<void> => {
  const foreign = foreignEndpoints(server).filter((name) => server[name] !== pinned[name]);
  if (foreign.length === 0) return;
  const { origin } = new URL(server.issuer);
  const facts = foreign.map((name) => [name, server[name]!] as const);
  if (!context.settings.canAsk) {
    throw new SchedError(
      'confirmation-required',
      `Confirmation needed to log in outside of ${origin}, but there is no terminal to ask on`,
      {
        reason: `the metadata of the authorization server names ${facts.map((fact) => fact.join(' ')).join(', ')}`,
        advice: ['log in on a terminal, or set the addresses: ', { command: ['profiles', 'set', 'KEY', 'URL'] }],
      },
    );
  }
  const isFine = await askAboutServer(context, {
    question: `The authorization server ${server.issuer} names addresses on another origin.\nSend your login there?`,
    facts,
    yes: 'log in with these addresses and keep them',
    no: 'stop and send nothing',
  });
  if (!isFine) throw declined('send');
};

const showServer = (server: AuthServer, document: string | undefined, { notes, settings, runtime }: Shell): void => {
  // Other origins were asked about, so people need no list of addresses.
  if (runtime.stderr.isTerminal && !settings.verbose) {
    notes.info(`Logging in at ${server.issuer}`);
    return;
  }
  const source = document === undefined ? 'no metadata found, so the usual addresses are used' : `from ${document}`;
  notes.info(`Authorization server (${source}):`);
  const facts = addresses.flatMap((name) => {
    const address = server[name];
    return address === undefined ? [] : [[name, address] as const];
  });
  for (const line of factLines(facts, settings.accessible)) notes.info(line);
};

/** Finds the addresses of the authorization server for a login. The settings of the profile win over the metadata. */
export const findServer = async (
  context: Shell,
  { auth_url: authUrl, issuer: chosenIssuer }: { auth_url: string; issuer?: string | undefined },
  profile: Profile | undefined,
): Promise<AuthServer> => {
  // The addresses of the profile belong to its own auth URL.
  const sameServerProfile = profile?.auth_url === authUrl ? profile : undefined;
  const { issuer: pinnedIssuer, ...rest } = sameServerProfile === undefined ? {} : pinnedParts(sameServerProfile);
  const pinned: AddressParts =
    chosenIssuer === undefined && pinnedIssuer !== undefined ? { issuer: pinnedIssuer, ...rest } : rest;
  const issuer = chosenIssuer ?? sameServerProfile?.issuer ?? authUrl;
  const discovery = await discover(issuer, context.runtime.send);
  const namedServer =
    discovery === undefined
      ? { ...usualServer(authUrl, issuer), ...pinned }
      : await withPinned(discovery, pinned, context);
  // A given issuer is the one that `iss` must be, even if the metadata has another trailing slash.
  const server = { ...namedServer, issuer: chosenIssuer ?? namedServer.issuer };
  await confirmForeign(server, pinned, context);
  showServer(server, discovery?.document, context);
  return server;
};
