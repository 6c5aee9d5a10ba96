import { inspect } from '../../api/inspect.ts';
import type { Env } from '../../base/system.ts';
import { type Name, spell, the, type Words, words } from '../../base/words.ts';
import type { Reading } from '../../cli/command.ts';
import type { How } from '../../cli/input/kind.ts';
import { chosenName, readConfig } from '../../cli/session/config-file.ts';
import type { Shell } from '../../cli/session/context.ts';
import { type Config, nameProblem, Profile } from '../../cli/session/profile-schema.ts';
import { askText } from '../../cli/session/prompt.ts';
import { urlProblem } from '../../http/proxy.ts';
import { isSecretOnStdin } from './client-secret.ts';
import type { LoginCall, LoginFlags } from './login-flags.ts';

/** The environment variable of each address. Its flag comes first, then the variable, then the profile. */
const sources = {
  base_url: 'SCHED_BASE_URL',
  auth_url: 'SCHED_AUTH_URL',
  mcp_url: 'SCHED_MCP_URL',
  client_id: 'SCHED_CLIENT_ID',
} as const;
type AddressSetting = keyof typeof sources;
export type Addresses = Partial<Record<AddressSetting | 'issuer', string>>;

const addressFlag = (key: AddressSetting): Name => the(key.replaceAll('_', '-'));

const addressProblem = (key: AddressSetting, value: string): Words | undefined => {
  const problem = key === 'client_id' ? undefined : urlProblem(value);
  return problem === undefined ? undefined : words`${addressFlag(key)}: ${problem}`;
};

/** Prompts for the addresses, each until its answer is valid. Stops at the first empty answer. */
const askAddresses = async (context: Shell, missing: readonly AddressSetting[]) => {
  const { settings, notes } = context;
  const answers: Addresses = {};
  for (const [index, key] of missing.entries()) {
    const what = inspect(Profile.shape[key]).description;
    const flag = spell([addressFlag(key)]);
    const screenReaderQuestion = `Question ${index + 1} of ${missing.length}: ${what}\nFlag: ${flag}\nAnswer, or Enter to stop: `;
    for (;;) {
      const answer = await askText(context, settings.accessible ? screenReaderQuestion : `${what} (${flag}): `);
      if (answer === '') return answers;
      const problem = addressProblem(key, answer);
      if (problem === undefined) {
        answers[key] = key === 'client_id' ? answer : answer.replace(/\/+$/, '');
        break;
      }
      notes.warn(problem);
    }
  }
  return answers;
};

/** The profile that a login is for, and what is known of the addresses that it needs. */
export interface Account {
  config: Config;
  name: string;
  before: Profile | undefined;
  addresses: Addresses;
  /** Addresses to ask for. */
  missing: AddressSetting[];
}

/** Whether a login through a browser can be finished here. */
export const isInteractive = (
  flags: Pick<LoginFlags, 'clientSecretFile'>,
  { isTerminal, isNoted }: How,
  { CI }: Env,
): boolean => (isTerminal || (isNoted && isSecretOnStdin(flags))) && !CI;

/** Reads the profile and its addresses. Missing ones are problems if nobody can be asked. */
export const readAccount = async (flags: LoginFlags, { context, problems }: Reading, how: How): Promise<Account> => {
  const { runtime, settings } = context;
  const config = await readConfig(runtime);
  const name = chosenName(settings.here.profile, runtime, config) ?? 'default';
  const wrong = nameProblem(name);
  if (wrong !== undefined) problems.add(wrong);
  const before = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  // An issuer is kept as given: a trailing slash is part of its name.
  const addresses: Addresses = flags.issuer === undefined ? {} : { issuer: flags.issuer };
  const { baseUrl: base_url, authUrl: auth_url, mcpUrl: mcp_url, clientId: client_id } = flags;
  const given = { base_url, auth_url, mcp_url, client_id };
  const canLogIn = flags.withToken || isInteractive(flags, how, runtime.env);
  for (const key of Object.keys(sources) as AddressSetting[]) {
    const value = given[key] ?? (runtime.env[sources[key]] || before?.[key]);
    if (value === undefined) continue;
    const problem = given[key] === undefined && canLogIn ? addressProblem(key, value) : undefined;
    if (problem !== undefined) problems.add(problem);
    addresses[key] = key === 'client_id' ? value : value.replace(/\/+$/, '');
  }
  const required: AddressSetting[] = flags.withToken ? ['base_url'] : ['base_url', 'auth_url', 'client_id'];
  const missing = required.filter((key) => addresses[key] === undefined);
  if (canLogIn && !how.canAsk) for (const key of missing) problems.missingFlag(addressFlag(key).name);
  return { config, name, before, addresses, missing };
};

/** All addresses that a login needs. Asks for those that are missing. */
export const completeAddresses = async (
  { addresses, missing }: Account,
  { context, problems }: LoginCall,
): Promise<Addresses> => {
  if (missing.length === 0) return addresses;
  const answers = await askAddresses(context, missing);
  for (const key of missing) if (answers[key] === undefined) problems.missingFlag(addressFlag(key).name);
  problems.check();
  return { ...addresses, ...answers };
};
