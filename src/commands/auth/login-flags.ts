import { knownScopes } from '../../api/scopes.ts';
import { type ClientAuthMethod, clientAuthWords, methodNamed } from '../../auth/auth-server.ts';
import { type Name, self, the, words } from '../../base/words.ts';
import { type Entry, entry, type Refusal } from '../../cli/input/entry.ts';
import { type Call, input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice, count, file, toggle } from '../../cli/input/kinds.ts';
import { apart, rule } from '../../cli/input/relations.ts';
import type { Shell } from '../../cli/session/context.ts';

const serverUrlKind: Kind<string> = {
  value: 'URL',
  json: 'string',
  read: async (raw) => {
    const { urlProblem } = await import('../../http/proxy.ts');
    const problem = urlProblem(raw);
    return problem === undefined ? accept(raw) : refuse(words`${self}: ${problem}`);
  },
};

/** How the user wants the secret to be sent. */
const clientAuthKind: Kind<ClientAuthMethod> = {
  value: 'METHOD',
  json: 'string',
  choices: Object.keys(clientAuthWords),
  read: (raw) => {
    const method = Object.values(clientAuthWords).find((each) => each === methodNamed(raw));
    if (method !== undefined) return accept(method);
    return refuse(words`${self} must be ${Object.keys(clientAuthWords).join(' or ')}, not "${raw}"`);
  },
};

const scopesKind: Kind<string[]> = {
  value: 'LIST',
  json: 'string',
  suggestions: knownScopes,
  offers: 'parts',
  read: (raw) => accept(raw.split(/[\s,]+/).filter(Boolean)),
};

/** A list of scopes. Each wrong one is a problem. */
const scopeList = (description: string): Entry<string[] | undefined> => {
  const whole = entry(scopesKind, description);
  return {
    ...whole,
    take: async (given, how) => {
      const reading = await whole.take(given, how);
      if (reading === 'missing' || !('value' in reading) || reading.value === undefined) return reading;
      // RFC 6749 §3.3.
      const wrong = reading.value.filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
      const refusals = wrong.map(
        (scope): Refusal => ({
          ok: false,
          problem: words`${self}: "${scope}" can't be the name of a scope`,
          raw: given[0]!,
        }),
      );
      return refusals.length === 0 ? reading : { refusals };
    },
  };
};

const rare = { heading: 'More flags' } as const;

const entries = {
  baseUrl: entry(serverUrlKind, 'URL of the API'),
  authUrl: entry(serverUrlKind, 'URL of the authorization server'),
  mcpUrl: entry(serverUrlKind, 'URL of the MCP server', rare),
  clientId: entry(
    { value: 'ID', json: 'string', read: (raw) => accept(raw) },
    'OAuth client ID of sched at the authorization server',
  ),
  clientSecretFile: file('file with the secret of the client, or - for stdin, if the client has one', rare),
  clientAuth: entry(clientAuthKind, 'how to send the secret: in the form or in a header (default: try both)', rare),
  issuer: entry(serverUrlKind, 'issuer of the authorization server, if it is not the auth URL', rare),
  scopes: scopeList('scopes to request, as a,b (default: all except sensitive scopes); any name works'),
  addScopes: scopeList('request these in addition to the current scopes'),
  readOnly: toggle('request only read scopes'),
  withToken: toggle('read a personal access token from stdin instead'),
  noBrowser: toggle('print the URL instead of opening a browser'),
  paste: toggle("paste the final URL, if the browser can't reach this machine"),
  device: toggle('log in with a code on another machine'),
  port: count('port to listen on, if the service requires a fixed one', { least: 1, most: 65_535, ...rare }),
  credentialStore: choice(['keychain', 'file'], 'where to store the token', { value: 'STORE' }),
};

const together = (one: Name, way: string, others: readonly string[]) =>
  others.map((other) => ({ words: words`${one}${way} can't be used together with ${the(other)}` }));

const withoutBrowser = ['paste', 'noBrowser', 'withToken', 'port'] as const;

const onlyDevice = rule(['device', ...withoutBrowser], (isGiven) =>
  isGiven('device') ? together(the('device'), '', withoutBrowser.filter(isGiven)) : [],
);

/** A token, a secret and a pasted URL can't all come through stdin. */
const onlySecret = rule(['clientSecretFile', 'withToken', 'paste'], (isGiven, { given }) => {
  if (!isGiven('clientSecretFile')) return [];
  const isStdin = given['client-secret-file'] === '-';
  const others = (['withToken', ...(isStdin ? ['paste' as const] : [])] as const).filter(isGiven);
  return together(the('clientSecretFile'), isStdin ? ' -' : '', others);
});

export type LoginFlags = Values<typeof entries>;

/** A login talks to its reader by itself. */
export type LoginCall = Call & { context: Shell };

export const loginFlags = input(entries, apart(['scopes', 'addScopes']), onlyDevice, onlySecret);
