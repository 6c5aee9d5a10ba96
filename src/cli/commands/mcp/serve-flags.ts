import type { Invocation, Typed } from '../../command.ts';

/** Flags of the server that its commands get too. */
const shared = ['max-wait', 'timeout', 'tz', 'no-wait', 'allow-refresh', 'quiet', 'verbose', 'yes'];
/** Flags that choose the tools. */
const choosing = ['tools', 'allow-writes', 'output-schemas'];

/**
 * The flags of the server that its commands get too. The profile is named even if it is the default one: choosing
 * another default must not switch the account of a running server.
 */
export const sharedTyped = ({ context, typed }: Pick<Invocation, 'context' | 'typed'>): Typed => {
  const { account, sandbox } = context.settings;
  return {
    ...(account === undefined ? {} : { profile: account.name }),
    ...(sandbox ? { sandbox } : {}),
    ...Object.fromEntries(shared.flatMap((name) => (typed[name] === undefined ? [] : [[name, typed[name]]]))),
  };
};

/** All flags with which a client starts this server. */
export const serveWords = (invocation: Pick<Invocation, 'context' | 'typed'>): string[] => {
  const chosen = choosing.map((name) => [name, invocation.typed[name]] as const);
  return [...Object.entries(sharedTyped(invocation)), ...chosen].flatMap(([name, value]) => {
    if (value === undefined) return [];
    return typeof value === 'string' && value !== '' ? [`--${name}=${value}`] : [`--${name}`];
  });
};
