import { inspect } from '../../../api/inspect.ts';
import { urlProblem } from '../../../http/proxy.ts';
import type { Invocation } from '../../command.ts';
import type { Context } from '../../session/context.ts';
import { Profile } from '../../session/profile-schema.ts';
import { askText } from '../../session/prompt.ts';

/** The environment variable of each address. Its flag comes first, then the variable, then the profile. */
const sources = {
  base_url: 'SCHED_BASE_URL',
  auth_url: 'SCHED_AUTH_URL',
  mcp_url: 'SCHED_MCP_URL',
  client_id: 'SCHED_CLIENT_ID',
} as const;
type AddressSetting = keyof typeof sources;
export type Addresses = Partial<Record<AddressSetting | 'issuer', string>>;

const flagOf = (key: AddressSetting): string => `--${key.replaceAll('_', '-')}`;

const addressProblem = (key: AddressSetting, value: string): string | undefined => {
  const problem = key === 'client_id' ? undefined : urlProblem(value);
  return problem && `${flagOf(key)}: ${problem}`;
};

/** Prompts for the addresses, each until its answer is valid. Stops at the first empty answer. */
const askAddresses = async (context: Context, missing: readonly AddressSetting[]) => {
  const { settings, notes } = context;
  const found: Addresses = {};
  for (const [index, key] of missing.entries()) {
    const what = inspect(Profile.shape[key]).description;
    const spoken = `Question ${index + 1} of ${missing.length}: ${what}\nFlag: ${flagOf(key)}\nAnswer, or Enter to stop: `;
    for (;;) {
      const answer = await askText(context, settings.accessible ? spoken : `${what} (${flagOf(key)}): `);
      if (answer === '') return found;
      const problem = addressProblem(key, answer);
      if (problem === undefined) {
        found[key] = answer;
        break;
      }
      notes.warn(problem);
    }
  }
  return found;
};

/** The addresses a login needs. Asks for missing ones on a terminal, and otherwise reports them all together. */
export const readAddresses = async (
  invocation: Invocation,
  profile: Profile | undefined,
  required: readonly AddressSetting[],
): Promise<Addresses> => {
  const { context, typed, problems } = invocation;
  const { runtime, settings } = context;
  const found: Addresses = {};
  for (const key of Object.keys(sources) as AddressSetting[]) {
    const value =
      (typed[key.replaceAll('_', '-')] as string | undefined) ?? (runtime.env[sources[key]] || profile?.[key]);
    if (value === undefined) continue;
    const problem = addressProblem(key, value);
    if (problem !== undefined) problems.add(problem);
    found[key] = value;
  }
  const { issuer } = typed;
  if (typeof issuer === 'string') {
    const problem = urlProblem(issuer);
    if (problem !== undefined) problems.add(`--issuer: ${problem}`);
    // Kept as typed: a trailing slash is part of the issuer's name.
    found.issuer = issuer;
  }
  const missing = required.filter((key) => found[key] === undefined);
  if (settings.canAsk && missing.length > 0) {
    // Nobody should answer questions for a command that fails anyway.
    problems.check();
    Object.assign(found, await askAddresses(context, missing));
  }
  for (const key of missing) if (found[key] === undefined) problems.missingFlag(flagOf(key).slice(2));
  problems.check();
  for (const key of ['base_url', 'auth_url', 'mcp_url'] as const)
    if (found[key] !== undefined) found[key] = found[key].replace(/\/+$/, '');
  return found;
};
