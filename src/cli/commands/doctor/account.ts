import { urlProblem } from '../../../http/proxy.ts';
import { configFile, readConfig } from '../../session/profiles.ts';
import { baseUrlOf, type Check, errorText, type Finding, note, ok, problem } from './finding.ts';

export const configCheck: Check = async ({ runtime, config }) => {
  if (config !== undefined) return [ok('configuration', configFile(runtime))];
  const error = await readConfig(runtime).then(() => undefined, errorText);
  return [problem('configuration', error ?? 'the file changed while it was checked', `edit ${configFile(runtime)}`)];
};

export const profileCheck: Check = async ({ config, name, account }) => {
  if (config === undefined) return [];
  if (account !== undefined) return [ok('profile', `${account.name}: ${account.profile.base_url}`)];
  if (name !== undefined)
    return [problem('profile', `no profile named "${name}"`, 'sched profiles list, then sched profiles use NAME')];
  return [note('profile', 'no profile yet', 'sched auth login, or set SCHED_TOKEN and SCHED_BASE_URL')];
};

export const addressCheck: Check = async ({ runtime }) =>
  (['SCHED_BASE_URL', 'SCHED_AUTH_URL', 'SCHED_MCP_URL'] as const).flatMap((name) => {
    const value = runtime.env[name];
    const wrong = value ? urlProblem(value) : undefined;
    return wrong === undefined ? [] : [problem('address', `${name}: ${wrong}`, `fix or unset ${name}`)];
  });

export const keychainCheck: Check = async ({ runtime, account }) => {
  const { storeOf } = await import('../../session/stored-login.ts');
  const kind = account?.profile.login?.store;
  if (kind === 'file') return [ok('credential store', 'file (set in the profile)')];
  const probe = async (): Promise<Finding> => {
    const store = await storeOf('keychain', runtime);
    await store.probe();
    return ok('credential store', `${store.describe()} works`);
  };
  const found = await probe().catch(errorText);
  if (typeof found !== 'string') return [found];
  const fix = 'unlock or start the keychain, use sched auth login --credential-store file, or set SCHED_TOKEN';
  return [kind === 'keychain' ? problem('credential store', found, fix) : note('credential store', found, fix)];
};

export const tokenCheck: Check = async ({ runtime, account }) => {
  const { env } = runtime;
  if (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) {
    const { environmentToken } = await import('../../session/connection.ts');
    const error = await environmentToken(runtime).then(() => undefined, errorText);
    return [
      error === undefined
        ? ok('token', 'from the environment (overrides stored logins)')
        : problem('token', error, 'correct SCHED_TOKEN or SCHED_TOKEN_FILE'),
    ];
  }
  if (account === undefined) return [];
  const again = `sched auth login -p ${account.name}`;
  if (account.profile.login === undefined)
    return [problem('token', `profile "${account.name}" is not logged in`, again)];
  const { openLogin } = await import('../../session/stored-login.ts');
  const quiet = {
    info: () => {},
    warn: () => {},
    sandbox: () => {},
    footer: () => {},
    status: () => {},
    flush: async () => {},
    quiet: true,
    isJson: false,
  };
  try {
    const session = await openLogin(account, runtime, { allowRefresh: false }, quiet);
    const { expires_at, refresh_token } = await session!.record();
    if (expires_at === undefined) return [ok('token', 'personal access token')];
    const when = new Date(expires_at).toISOString();
    if (expires_at > runtime.clock.now()) return [ok('token', `valid until ${when}`)];
    return refresh_token === undefined
      ? [problem('token', `expired at ${when}`, again)]
      : [note('token', `expired at ${when}; the next command refreshes it`, `sched auth refresh -p ${account.name}`)];
  } catch (error) {
    return [problem('token', errorText(error), again)];
  }
};

/** Above this difference between the clocks, logins and rate limits may fail. */
const toleratedSkewMs = 2 * 60_000;

export const networkCheck: Check = async (context) => {
  const { runtime, account } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [note('network', 'no base URL to check')];
  try {
    // Sent without the token: any reply shows that the service can be reached.
    const { headers } = await runtime.send({
      method: 'GET',
      url: `${baseUrl}/users/me`,
      headers: { accept: 'application/json' },
      timeoutMs: 10_000,
    });
    const skew = headers.date === undefined ? 0 : runtime.clock.now() - Date.parse(headers.date);
    const reached = ok('network', `${new URL(baseUrl).host} replies`);
    if (!(Math.abs(skew) > toleratedSkewMs)) return [reached];
    const distance = `${Math.round(Math.abs(skew) / 60_000)} minutes ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
    return [reached, problem('clock', `the system clock is ${distance}`, 'correct the system clock')];
  } catch (error) {
    return [
      problem(
        'network',
        `can't reach ${new URL(baseUrl).host}: ${errorText(error)}`,
        account === undefined || runtime.env.SCHED_BASE_URL
          ? 'check SCHED_BASE_URL, the network and the proxy settings'
          : `check the network and the proxy settings, or change the URL: sched profiles set base_url URL -p ${account.name}`,
      ),
    ];
  }
};
