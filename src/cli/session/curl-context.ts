import { createClient } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import type { Send } from '../../http/message.ts';
import { type Connection, checkUrl, connect, environmentToken, sandboxAddress } from './connection.ts';
import type { Context } from './context.ts';
import { createCurlVariables } from './curl-variables.ts';
import { asUri, baseOfUri, type Identity, rememberedIdentity } from './identity.ts';
import { forSameAccount } from './lost-creation.ts';

const refuse: Send = async ({ method, url }) => {
  throw new SchedError(
    'usage',
    'This request cannot be written down without asking the service, and --curl asks nothing',
    {
      reason: `it needs ${method} ${new URL(url).pathname} first`,
      hint: 'the same with --dry-run, which reads and writes nothing',
      outcome: 'not-sent',
    },
  );
};

const noCredential: Connection['credentials'] = {
  current: () => Promise.reject(new Error('a request that is only written down carries no credential')),
};

/** Who the login of a profile belongs to, as it is kept here; nothing where it cannot be read. */
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
    notes.info('the line works while `sched sandbox start` runs, which prints SCHED_TOKEN');
    return { ...shared, baseUrl: sandboxAddress, mcpUrl: sandboxAddress, isSandbox: true };
  }
  const profile = settings.account?.profile;
  const baseUrl = env.SCHED_BASE_URL ? checkUrl(env.SCHED_BASE_URL, 'SCHED_BASE_URL') : profile?.base_url;
  // Without an address there is nothing to write down, and the usual error says what is missing.
  if (baseUrl === undefined) return connect(runtime, settings, notes);
  const mcpUrl = env.SCHED_MCP_URL ? checkUrl(env.SCHED_MCP_URL, 'SCHED_MCP_URL') : profile?.mcp_url;
  return { ...shared, baseUrl, mcpUrl, isSandbox: false };
};

/** Who is meant, from the environment, the login, the profile and what was asked before. */
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
  // The profile's user belongs to the profile's login, not to a token of the environment.
  const own = token === undefined ? profile : undefined;
  return {
    user: SCHED_USER || own?.user || owner.user || remembered?.user,
    organization: SCHED_ORG || own?.organization || owner.organization || remembered?.organization,
    root: profile?.uri_root ?? remembered?.root,
  } as Partial<Identity>;
};

/**
 * The same context for `--curl`: nothing is opened, nothing is sent. What only the service could tell is left to the
 * shell of whoever runs the line.
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
