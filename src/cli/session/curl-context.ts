import { createClient } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import type { Send } from '../../http/message.ts';
import { type Connection, checkUrl, connect, environmentToken, sandboxAddress } from './connection.ts';
import type { Context } from './context.ts';
import { createCurlVariables } from './curl-variables.ts';
import { asUri, baseOfUri, type Identity, rememberedIdentity } from './identity.ts';
import { forSameAccount } from './lost-creation.ts';

const refuse: Send = async ({ method, url }) => {
  throw new SchedError('usage', "Can't print this request without asking the service first, which --curl doesn't do", {
    reason: `it needs ${method} ${new URL(url).pathname} first`,
    hint: 'use --dry-run instead of --curl: it may read from the service but changes nothing',
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
    notes.info('this command works while `sched sandbox start` is running; SCHED_TOKEN is printed there');
    return { ...shared, baseUrl: sandboxAddress, mcpUrl: sandboxAddress, isSandbox: true };
  }
  const profile = settings.account?.profile;
  const baseUrl = env.SCHED_BASE_URL ? checkUrl(env.SCHED_BASE_URL, 'SCHED_BASE_URL') : profile?.base_url;
  // Without a base URL there is nothing to print. This throws the usual error about it.
  if (baseUrl === undefined) return connect(runtime, settings, notes);
  const mcpUrl = env.SCHED_MCP_URL ? checkUrl(env.SCHED_MCP_URL, 'SCHED_MCP_URL') : profile?.mcp_url;
  return { ...shared, baseUrl, mcpUrl, isSandbox: false };
};

/** The identity as far as known from the environment, the profile, the login and the cache. */
const known = async (context: Context, { baseUrl, isSandbox }: Connection): Promise<Partial<Identity>> => {
  if (isSandbox) return {};
  const { runtime, settings } = context;
  const { SCHED_USER, SCHED_ORG } = runtime.env;
  const token = await environmentToken(runtime).catch(() => undefined);
  const profile = settings.account?.profile;
  const owner = token === undefined ? await ownerOf(context) : {};
  const remembered =
    token === undefined
      ? undefined
      : await rememberedIdentity(runtime, { token, origin: new URL(baseUrl).origin }).catch(() => undefined);
  // The profile's user belongs to the profile's login, not to a token from the environment.
  const own = token === undefined ? profile : undefined;
  return {
    user: SCHED_USER || own?.user || owner.user || remembered?.user,
    organization: SCHED_ORG || own?.organization || owner.organization || remembered?.organization,
    root: profile?.uri_root ?? remembered?.root,
  } as Partial<Identity>;
};

/**
 * The same context for `--curl`: opens and sends nothing. Values that only the service knows become shell variables in
 * the printed command.
 */
export const curlContext = (context: Context): Context => {
  const curlVariables = createCurlVariables(context.runtime.randomBytes);
  let connection: Promise<Connection> | undefined;
  let identity: Promise<Identity> | undefined;
  const connected = () => {
    connection ??= connectionOf(context);
    return connection;
  };
  const identify = async (): Promise<Identity> => {
    const at = await connected();
    const { user, organization, root: told } = await known(context, at);
    const root = told ?? [user, organization].map((value) => baseOfUri(value ?? '')).find(Boolean) ?? at.baseUrl;
    const me = forSameAccount('sched users me', context.settings);
    return {
      root,
      user: user ? asUri(user, root, 'users') : curlVariables.leave('SCHED_USER', `"$(${me} -o id)"`),
      organization: organization
        ? asUri(organization, root, 'organizations')
        : curlVariables.leave('SCHED_ORG', `"$(${me} --jq .current_organization)"`),
    };
  };
  const own = () => {
    identity ??= identify();
    return identity;
  };
  return {
    ...context,
    curlVariables,
    connection: connected,
    client: async () => createClient({ ...(await connected()), send: refuse, sendPlain: refuse }),
    identity: own,
    root: async () => (await own()).root,
    close: async () => {},
  };
};
