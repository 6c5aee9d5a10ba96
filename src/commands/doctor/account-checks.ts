import { commandHere } from '../../cli/messages/suggested-line.ts';
import { configFile, readConfig } from '../../cli/session/config-file.ts';
import { isForeignNotFound } from '../../client/refusal.ts';
import { authorize, type Credential } from '../../http/authorize.ts';
import { NetworkFailure } from '../../http/failure.ts';
import type { HttpRequest } from '../../http/message.ts';
import { urlProblem } from '../../http/proxy.ts';
import { toleratedSkewMs } from '../../http/service-time.ts';
import { existsSync } from '../../node/files.ts';
import { baseUrlOf, type Check, type DoctorContext, errorText, type Finding, note, ok, problem } from './finding.ts';

export const configCheck: Check = async ({ runtime, config }) => {
  if (config !== undefined) {
    const file = configFile(runtime);
    return [ok('configuration', existsSync(file) ? file : `${file} doesn't exist yet; sched creates it when needed`)];
  }
  const error = await readConfig(runtime).then(() => undefined, errorText);
  return [problem('configuration', error ?? 'the file changed while it was checked', `edit ${configFile(runtime)}`)];
};

/** The variable that holds a token. It overrides stored logins. */
const tokenVariable = ({ runtime: { env } }: DoctorContext): string | undefined =>
  ['SCHED_TOKEN', 'SCHED_TOKEN_FILE'].find((name) => env[name]);

export const profileCheck: Check = async (context) => {
  const { config, name, account } = context;
  if (config === undefined) return [];
  if (account !== undefined) return [ok('profile', `${account.name}: ${account.profile.base_url}`)];
  const list = commandHere(context, 'profiles', 'list');
  if (name !== undefined)
    return [
      problem(
        'profile',
        `no profile named "${name}"`,
        `${list}, then ${commandHere(context, 'profiles', 'use', 'NAME')}`,
      ),
    ];
  const variable = tokenVariable(context);
  if (variable === undefined)
    return [
      note(
        'profile',
        'no profile yet',
        `${commandHere(context, 'auth', 'login')}, or set SCHED_TOKEN and SCHED_BASE_URL`,
      ),
    ];
  return context.runtime.env.SCHED_BASE_URL
    ? [note('profile', `no profile; ${variable} and SCHED_BASE_URL are used`)]
    : [problem('profile', `no profile, and ${variable} is set without SCHED_BASE_URL`, 'set SCHED_BASE_URL')];
};

export const addressCheck: Check = async ({ runtime }) =>
  (['SCHED_BASE_URL', 'SCHED_AUTH_URL', 'SCHED_MCP_URL'] as const).flatMap((name) => {
    const value = runtime.env[name];
    const wrong = value ? urlProblem(value) : undefined;
    return wrong === undefined ? [] : [problem('address', `${name}: ${wrong}`, `fix or unset ${name}`)];
  });

export const keychainCheck: Check = async (context) => {
  const { runtime, account } = context;
  const { credentialStoreOf: storeOf } = await import('../../cli/session/stored-login.ts');
  const kind = account?.profile.login?.store;
  if (kind === 'file') return [ok('credential store', 'file (set in the profile)')];
  const probe = async (): Promise<Finding> => {
    const store = await storeOf('keychain', runtime);
    await store.probe();
    return ok('credential store', `${store.describe()} works`);
  };
  const result = await probe().catch(errorText);
  if (typeof result !== 'string') return [result];
  if (tokenVariable(context) !== undefined)
    return [note('credential store', `${result}; not needed, because ${tokenVariable(context)} is set`)];
  const inFile = commandHere(context, 'auth', 'login', '--credential-store', 'file');
  const fix = `unlock or start the keychain, use ${inFile}, or set SCHED_TOKEN`;
  return [kind === 'keychain' ? problem('credential store', result, fix) : note('credential store', result, fix)];
};

const probeOf = (baseUrl: string): HttpRequest => ({
  method: 'GET',
  url: `${baseUrl}/users/me`,
  headers: { accept: 'application/json' },
  timeoutMs: 10_000,
});

/** Sends the token to the service, if that is wanted, and adds the result to the finding. */
const checkedToken = async (
  context: DoctorContext,
  credential: Credential,
  tokenText: string,
  fix: string,
): Promise<Finding> => {
  const baseUrl = baseUrlOf(context);
  // Only the service knows whether it accepts the token, so this is not "ok".
  const uncheckedNote = note('token', `${tokenText}; not checked with the service`);
  if (!context.network || baseUrl === undefined)
    return { ...uncheckedNote, fix: baseUrl === undefined ? null : commandHere(context, 'doctor', '--network') };
  try {
    const { status } = await authorize({ current: async () => credential })(context.runtime.send)(probeOf(baseUrl));
    if (status === 401) return problem('token', `${tokenText}; the service refuses it`, fix);
    // 403: the token is valid, but may not read users.
    return status < 300 || status === 403 ? ok('token', `${tokenText}; the service accepts it`) : uncheckedNote;
  } catch (error) {
    // The network check reports this.
    if (error instanceof NetworkFailure) return uncheckedNote;
    return problem('token', errorText(error), fix);
  }
};

export const tokenCheck: Check = async (context) => {
  const { runtime, account } = context;
  const variable = tokenVariable(context);
  if (variable !== undefined) {
    const { environmentToken } = await import('../../cli/session/connection.ts');
    const fix = `provide a valid token in ${variable}`;
    try {
      const token = (await environmentToken(runtime))!;
      const baseUrl = baseUrlOf(context);
      const credential = { token, origin: baseUrl === undefined ? '' : new URL(baseUrl).origin };
      return [await checkedToken(context, credential, `from ${variable} (overrides stored logins)`, fix)];
    } catch (error) {
      return [problem('token', errorText(error), fix)];
    }
  }
  if (account === undefined) return [];
  const again = commandHere(context, 'auth', 'login');
  const refresh = commandHere(context, 'auth', 'refresh');
  if (account.profile.login === undefined)
    return [problem('token', `profile "${account.name}" is not logged in`, again)];
  const { openLogin } = await import('../../cli/session/stored-login.ts');
  try {
    const session = await openLogin(account, runtime, { allowRefresh: false }, { warn: () => {} });
    const { expires_at, refresh_token, access_token: token, origin } = await session!.record();
    if (expires_at === undefined)
      return [await checkedToken(context, { token, origin }, 'personal access token', again)];
    const when = new Date(expires_at).toISOString();
    if (expires_at > runtime.clock.now()) {
      const fix = refresh_token === undefined ? again : `${refresh}, or ${again}`;
      return [await checkedToken(context, { token, origin }, `expires at ${when}`, fix)];
    }
    return refresh_token === undefined
      ? [problem('token', `expired at ${when}`, again)]
      : [note('token', `expired at ${when}; the next command refreshes it`, refresh)];
  } catch (error) {
    return [problem('token', errorText(error), again)];
  }
};

/** How to change the base URL. */
const changeUrl = (context: DoctorContext): string =>
  context.account === undefined || context.runtime.env.SCHED_BASE_URL
    ? 'change SCHED_BASE_URL'
    : `change the URL: ${commandHere(context, 'profiles', 'set', 'base_url', 'URL')}`;

export const networkCheck: Check = async (context) => {
  const { runtime, account } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [note('network', 'no base URL to check')];
  try {
    // Sent without the token: any reply shows that the service can be reached.
    const reply = await runtime.send(probeOf(baseUrl));
    const { headers } = reply;
    const isExplained = Boolean(
      runtime.env.SCHED_DIALECT || account?.profile.dialect || runtime.env.SCHED_USER || account?.profile.user,
    );
    if (isForeignNotFound(reply) && !isExplained) {
      const where = new URL(baseUrl);
      return [
        problem(
          'network',
          `${where.host} replies, but ${where.href} is not the address of a scheduling service`,
          changeUrl(context),
        ),
      ];
    }
    const skew = headers.date === undefined ? 0 : runtime.clock.now() - Date.parse(headers.date);
    const networkFinding = ok('network', `${new URL(baseUrl).host} replies`);
    if (!(Math.abs(skew) > toleratedSkewMs)) return [networkFinding];
    const distance = `${Math.round(Math.abs(skew) / 60_000)} minutes ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
    return [networkFinding, problem('clock', `the system clock is ${distance}`, 'correct the system clock')];
  } catch (error) {
    return [
      problem(
        'network',
        `can't reach ${new URL(baseUrl).host}: ${errorText(error)}`,
        `check the network and the proxy settings, or ${changeUrl(context)}`,
      ),
    ];
  }
};
