import { createClient } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import type { Send } from '../../http/message.ts';
import { type Connection, checkUrl, connect, defaultsOf, environmentToken, sandboxAddress } from './connection.ts';
import type { Context, FindUser } from './context.ts';
import { type CurlVariables, createCurlVariables } from './curl-variables.ts';
import { baseOfUri, createIdentity, rememberedIdentity } from './identity.ts';
import { forSameAccount } from './lost-creation.ts';
import { once } from './once.ts';

const refuse: Send = async ({ method, url }) => {
  throw new SchedError('usage', "Can't print this request without asking the service first, which --curl doesn't do", {
    reason: `it needs ${method} ${new URL(url).pathname} first`,
    advice: '--dry-run may read from the service, but changes nothing',
    hint: { flags: { curl: false, 'dry-run': true } },
    outcome: 'not-sent',
  });
};

const noCredential: Connection['credentials'] = {
  current: () => Promise.reject(new Error('a request that is only printed carries no credential')),
};

/** The user and organization stored with a profile's login. Empty if the login can't be read. */
const ownerOf = async ({ runtime, settings, notes }: Context) => {
  const { account } = settings;
  if (account?.profile.login === undefined) return {};
  const { openLogin } = await import('./stored-login.ts');
  const record = await openLogin(account, runtime, settings, notes)
    .then((session) => session?.record())
    .catch(() => undefined);
  return { user: record?.owner || undefined, organization: record?.organization || undefined };
};

const connectionOf = async (context: Context): Promise<Connection> => {
  const { runtime, settings, notes } = context;
  const { env } = runtime;
  const shared = { credentials: noCredential, close: async () => {} };
  if (settings.sandbox) {
    notes.sandbox();
    notes.info('This command works while `sched sandbox start` is running, which prints SCHED_TOKEN');
    return { ...shared, baseUrl: sandboxAddress, mcpUrl: sandboxAddress, isSandbox: true };
  }
  const profile = settings.account?.profile;
  const baseUrl = env.SCHED_BASE_URL ? checkUrl(env.SCHED_BASE_URL, 'SCHED_BASE_URL') : profile?.base_url;
  // Without a base URL there is nothing to print. This throws the usual error about it.
  if (baseUrl === undefined) return connect(runtime, settings, notes);
  const mcpUrl = env.SCHED_MCP_URL ? checkUrl(env.SCHED_MCP_URL, 'SCHED_MCP_URL') : profile?.mcp_url;
  const token = await environmentToken(runtime).catch(() => undefined);
  const defaults = defaultsOf(settings.account, token === undefined ? 'login' : 'environment');
  return { ...shared, baseUrl, mcpUrl, isSandbox: false, ...defaults };
};

/** The token's owner as far as the login and the cache know. Shell variables stand for the rest. */
const knownOwner = async (context: Context, { baseUrl, isSandbox }: Connection, curlVariables: CurlVariables) => {
  const { runtime, settings } = context;
  const token = isSandbox ? undefined : await environmentToken(runtime).catch(() => undefined);
  const remembered =
    token === undefined
      ? undefined
      : await rememberedIdentity(runtime, { token, origin: new URL(baseUrl).origin }).catch(() => undefined);
  const login = isSandbox || token !== undefined ? {} : await ownerOf(context);
  const user = remembered?.user || login.user;
  const organization = remembered?.organization || login.organization;
  const me = forSameAccount('sched users me', settings);
  return {
    user: user ?? curlVariables.leave('SCHED_USER', `"$(${me} -o id)"`),
    organization: organization ?? curlVariables.leave('SCHED_ORG', `"$(${me} --jq .current_organization)"`),
    root: isSandbox ? baseUrl : (settings.account?.profile.uri_root ?? remembered?.root ?? baseOfUri(user ?? '')),
  };
};

/**
 * The same context for `--curl`: opens and sends nothing. Values that only the service knows become shell variables in
 * the printed command.
 */
export const curlContext = (online: Context, findUser: FindUser): Context => {
  const curlVariables = createCurlVariables(online.runtime.randomBytes);
  const connection = once(() => connectionOf(online));
  const context: Context = {
    ...online,
    curlVariables,
    connection,
    client: async () => createClient({ ...(await connection()), send: refuse, sendPlain: refuse }),
    identity: createIdentity({
      env: online.runtime.env,
      connection,
      owner: async () => knownOwner(online, await connection(), curlVariables),
      findUser: (who) => findUser(who, context),
    }),
    close: async () => {},
  };
  return context;
};
