import { createSecrets, type Secrets } from './redact.ts';
import type { Output, Runtime, World } from './runtime.ts';

const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** The password of a proxy's address, as it is written there and as it is sent. */
const passwordsIn = (address = ''): string[] => {
  const [, written] = /^(?:[^/]*:\/\/)?[^/@]*?:([^/]*)@/.exec(address) ?? [];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
};

const keepEnvironment = ({ env }: World, secrets: Secrets): void => {
  secrets.keep(env.SCHED_TOKEN?.trim() ?? '');
  for (const name of proxyVariables) for (const password of passwordsIn(env[name])) secrets.keep(password, 'password');
};

/**
 * The world of a command: whatever it writes for others to read passes here, and only here secrets are taken out (R12).
 * A text is written in whole lines, so no secret is split between two of them.
 */
export const withRedaction = (world: World): Runtime => {
  const secrets = createSecrets();
  keepEnvironment(world, secrets);
  /** Everything else stays the output's own, and is asked of it when it is needed. */
  const withoutSecrets = <Kind extends Output>(output: Kind): Kind =>
    Object.create(output, { write: { value: (text: string) => output.write(secrets.redact(text)) } });
  const { openPager } = world;
  const own: Partial<Runtime> = {
    secrets,
    reveal: (text) => world.stdout.write(text),
    stdout: withoutSecrets(world.stdout),
    stderr: withoutSecrets(world.stderr),
    ...(openPager && {
      openPager: async (command) => {
        const pager = await openPager(command);
        return pager && withoutSecrets(pager);
      },
    }),
  };
  return Object.create(world, Object.getOwnPropertyDescriptors(own));
};
