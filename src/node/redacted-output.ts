import { createSecrets, type Secrets } from '../base/redact.ts';
import { decodeUri } from '../base/uri.ts';
import type { Output, Runtime, World } from '../runtime.ts';

const proxyVariables = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** The password in a URL, both as written and decoded. */
const passwordsIn = (address = ''): string[] => {
  const [, password = ''] = /^(?:[^/]*:\/\/)?[^/@]*?:([^/]*)@/.exec(address) ?? [];
  return [password, decodeUri(password) ?? ''];
};

const keepEnvironment = ({ env }: World, secrets: Secrets): void => {
  secrets.keep(env.SCHED_TOKEN?.trim() ?? '');
  for (const name of [...proxyVariables, 'SCHED_SHARED_STATE'])
    for (const password of passwordsIn(env[name])) secrets.keep(password, 'password');
};

/**
 * The runtime of a command, whose output streams redact secrets (R12). All output passes here, and no other place
 * redacts. Text is written in whole lines, so no secret is split between two writes.
 */
export const withRedaction = (world: World): Runtime => {
  const secrets = createSecrets();
  keepEnvironment(world, secrets);
  /** Overrides `write` only. All other properties are read from the original output. */
  const withoutSecrets = <Kind extends Output>(output: Kind): Kind =>
    Object.create(output, { write: { value: (text: string) => output.write(secrets.redact(text)) } });
  const { openPager, keyboard } = world;
  const line: Runtime['keyboard']['line'] = ({ prompt = '', ...options } = {}) =>
    keyboard.line({ ...options, prompt: secrets.redact(prompt) });
  const own: Partial<Runtime> = {
    secrets,
    reveal: (text) => world.stdout.write(text),
    keyboard: Object.create(keyboard, { line: { value: line } }),
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
