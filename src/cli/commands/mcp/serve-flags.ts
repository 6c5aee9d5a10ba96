import type { Invocation } from '../../command.ts';

/** Switches that the commands of a server get too. */
const switches = ['no-wait', 'allow-refresh', 'quiet', 'verbose', 'yes'];
const withValue = ['max-wait', 'timeout', 'tz'];

/**
 * The flags of the server that its commands get too. The profile is named even if it is the default one: choosing
 * another default must not switch the account of a running server.
 */
export const sharedWords = ({ context, typed }: Pick<Invocation, 'context' | 'typed'>): string[] => {
  const { account, sandbox } = context.settings;
  return [
    ...(account === undefined ? [] : [`--profile=${account.name}`]),
    ...(sandbox ? ['--sandbox'] : []),
    ...withValue.flatMap((name) => (typed[name] === undefined ? [] : [`--${name}=${typed[name]}`])),
    ...switches.filter((name) => typed[name] === true).map((name) => `--${name}`),
  ];
};

/** The flags that choose the tools, as typed. */
export const toolWords = ({ typed }: Pick<Invocation, 'typed'>): string[] => {
  const writes = typed['allow-writes'];
  return [
    ...(typed.tools === undefined ? [] : [`--tools=${typed.tools}`]),
    ...(writes === undefined
      ? []
      : [typeof writes === 'string' && writes !== '' ? `--allow-writes=${writes}` : '--allow-writes']),
    ...(typed['output-schemas'] === true ? ['--output-schemas'] : []),
  ];
};
