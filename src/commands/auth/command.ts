import type { CredentialRecord } from '../../auth/credential-schema.ts';
import type { Revocation } from '../../auth/session.ts';
import { SchedError } from '../../base/errors.ts';
import { textOf } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import type { Answer, PictureAnswer, ProgramAnswer, RecordAnswer, SecretAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan } from '../../cli/answer/plan.ts';
import { show } from '../../cli/answer/show.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking } from '../../cli/input/input.ts';
import { duration, toggle } from '../../cli/input/kinds.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { environmentToken } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { loginInput } from './input.ts';
import {
  accepted,
  describeLogin,
  type LoginFacts,
  localFacts,
  loginFields,
  loginPage,
  sessionOf,
  shownFacts,
} from './login-facts.ts';
import { rareScopes, sensitiveScopes } from './scope-flag.ts';
import { loginAnswer } from './screen.ts';

const loginView: View = {
  columns: [
    { header: 'PROFILE', path: 'profile', priority: 5 },
    { header: 'USER', path: 'user', as: 'id', priority: 4 },
    { header: 'USABLE', path: 'usable', as: 'boolean', priority: 3 },
  ],
  page: loginPage,
  id: 'user',
};

const answerWith = (context: Pick<Context, 'settings'>, facts: LoginFacts): RecordAnswer | PictureAnswer =>
  loginAnswer(context, loginView, { ...facts }, (time) => ({
    status: facts.status,
    who: textOf(facts.user_name),
    facts: shownFacts(facts, time),
  }));

/** Asks the service who the credential belongs to. Also returns the error if the credential can't be used. */
const checkLogin = async (context: Context, facts: LoginFacts): Promise<{ facts: LoginFacts; error?: SchedError }> => {
  const { users } = await import('../../api/users.ts');
  try {
    const me = await (await context.client()).call(users.me, {});
    const user = typeof me.uri === 'string' ? me.uri : facts.user;
    const user_name = typeof me.name === 'string' ? me.name : facts.user_name;
    const organization = typeof me.current_organization === 'string' ? me.current_organization : facts.organization;
    return { facts: accepted({ ...facts, user, user_name, organization }) };
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    // The token is valid, but may not read users.
    if (error.category === 'forbidden') return { facts: accepted(facts) };
    // Without /users/me, nothing says whether the token is valid.
    if (error.category === 'not-found') return { facts };
    if (error.category !== 'auth') throw error;
    const status = error.facts.outcome === 'not-sent' ? facts.status : 'refused';
    const { hint, ...cause } = error.facts;
    const next = facts.kind === 'token' ? { advice: `provide a valid token in ${facts.source}` } : hint && { hint };
    return {
      facts: { ...facts, usable: false, status },
      error: new SchedError('auth', error.message, { ...cause, ...next }),
    };
  }
};

const status = async (isOffline: boolean, { context }: Call): Promise<Answer> => {
  const facts = await localFacts(context);
  if (!isOffline) {
    // If the service can't be asked, what is known here is shown before the error.
    const check = await checkLogin(context, facts).catch((error: unknown) => {
      if (error instanceof SchedError && error.category !== 'interrupted') return { facts, error };
      throw error;
    });
    const footers = check.facts.status === 'not checked' ? ["Couldn't check with the service"] : [];
    return { ...answerWith(context, check.facts), footers, failure: check.error };
  }
  const footers = [words`Not checked with the service, because of ${the('offline')}`];
  const answer = { ...answerWith(context, facts), footers };
  if (facts.status !== 'expired') return answer;
  const failure = new SchedError('auth', 'The login is no longer valid', {
    reason: `it expired at ${facts.expires_at}`,
    hint: { command: ['auth', 'login'] },
  });
  return { ...answer, failure };
};

const runToken = async (leastLife: number, { context }: Call): Promise<SecretAnswer> => {
  const fromEnvironment = await environmentToken(context.runtime);
  if (fromEnvironment !== undefined) return { kind: 'secret', text: fromEnvironment };
  const { session } = await sessionOf(context);
  const record: CredentialRecord = await session.lasting(leastLife);
  return { kind: 'secret', text: record.access_token };
};

const refresh = async ({ context }: Call): Promise<Answer> => {
  const { account, session } = await sessionOf(context);
  const { kind, access_token: token, origin } = await session.record();
  if (kind === 'pat')
    throw new SchedError('usage', "A personal access token can't be refreshed", {
      reason: "it stays valid until you revoke it in the service's settings",
    });
  // Takes the stored token: asking for the current one would refresh an expired token first, and so refresh twice.
  await session.refresh({ token, origin });
  const record = await session.record();
  const answer = answerWith(context, accepted(describeLogin(account, record, context.runtime.clock.now())));
  return { ...answer, done: { hints: ['Refreshed the access token'] } };
};

const endingWords = (ending: Revocation): string => {
  if (ending.atService === 'revoked') return 'revoked at the service';
  return ending.atService === 'not-told' ? 'on this machine only' : `nothing to revoke: ${ending.why}`;
};

const logout = async (isAll: boolean, { context }: Call): Promise<Plan> => {
  const { changeConfig, readConfig } = await import('../../cli/session/config-file.ts');
  const { removeLogin } = await import('../../cli/session/stored-login.ts');
  const config = await readConfig(context.runtime);
  const { account } = context.settings;
  const names = isAll ? Object.keys(config.profiles) : account === undefined ? [] : [account.name];
  const loggedIn = names.filter((name) => config.profiles[name]?.login !== undefined);
  const question = () => ({
    question: `Log out of ${counted(loggedIn.length, 'profile')}?`,
    action: `log out of ${loggedIn.join(', ')}`,
    facts: loggedIn.map((name) => [name, new URL(config.profiles[name]!.base_url).origin] as const),
  });
  return ownPlan({
    nothingToDo: () => (loggedIn.length === 0 ? { kind: 'nothing', hints: ['Not logged in'] } : undefined),
    ...(isAll && { question }),
    send: async () => {
      for (const name of loggedIn) {
        const ending = await removeLogin({ name, profile: config.profiles[name]! }, context.runtime, context.notes);
        await changeConfig(context.runtime, (before) => {
          const profile = before.profiles[name];
          if (profile === undefined) return before;
          const { login: _, ...rest } = profile;
          return { ...before, profiles: { ...before.profiles, [name]: rest } };
        });
        context.notes.info(`logged out: ${name} (${endingWords(ending)})`);
        const { noteMirror } = await import('../../cli/session/open-mirror.ts');
        noteMirror(context, name);
      }
      return { kind: 'nothing' };
    },
  });
};

export const authCommands: Command[] = [
  {
    name: 'login',
    summary: 'Log in with the browser or a personal access token',
    ...taking(loginInput, async (values, call): Promise<ProgramAnswer> => {
      const { logIn } = await import('./login.ts');
      return {
        kind: 'program',
        run: async (shell) => show(shell, answerWith(shell, await logIn(values, { ...call, context: shell }))),
      };
    }),
    examples: [
      'auth login --base-url https://api.example.com --auth-url https://auth.example.com --client-id ID',
      'auth login --with-token --base-url https://api.example.com < token.txt',
      'auth login --add-scopes data_compliance:write',
      'auth login --device',
    ],
    notes: [
      `Sensitive scopes are requested only if you name them: ${sensitiveScopes.join(', ')}. So is ${rareScopes.join(', ')}, which few services know.`,
      'sched asks the authorization server for its addresses (OAuth or OpenID Connect metadata), shows them and keeps them in the profile. A later login asks before it uses other addresses. If the server publishes none, sched uses /oauth/authorize, /oauth/token and /oauth/revoke below the auth URL.',
      'If no browser opens, or over SSH, you can paste the final URL of the browser instead (--paste waits for that URL only), or log in with --device if the server offers it.',
      'The token is stored in the system keychain. sched never falls back to a file by itself; --credential-store file stores the token in a file that only you can read, in the folder credentials beside the profiles (~/.config/sched/credentials on Linux).',
    ],
    local: true,
    effect: 'read',
    mirror: aboutService,
    fields: loginFields,
  },
  {
    name: 'status',
    summary: 'Show the current login and when it expires',
    ...taking(input({ offline: toggle("show what is stored, and don't ask the service") }), ({ offline }, call) =>
      status(offline, call),
    ),
    examples: ['auth status', 'auth status --json', 'auth status --offline'],
    notes: ['Asks the service whether it accepts the token. If not, the exit code is 4. See also: sched whoami.'],
    fields: loginFields,
  },
  {
    name: 'token',
    summary: 'Print the access token for use in scripts',
    ...taking(
      input({ minTtl: duration('refresh first if the token expires sooner', { such: '20m', preset: '0s' }) }),
      ({ minTtl }, call) => runToken(minTtl, call),
    ),
    examples: ['auth token', 'auth token --min-ttl 20m'],
  },
  {
    name: 'refresh',
    summary: 'Refresh the access token now',
    ...taking(input({}), (_, call) => refresh(call)),
    examples: ['auth refresh', 'auth refresh --json=expires_at'],
    fields: loginFields,
  },
  {
    name: 'logout',
    summary: 'Revoke the login and delete it from this machine',
    ...taking(input({ all: toggle('log out of all profiles') }), ({ all }, call) => logout(all, call)),
    examples: ['auth logout', 'auth logout --all --yes'],
  },
];
