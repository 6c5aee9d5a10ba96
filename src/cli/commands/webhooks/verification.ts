import { SchedError } from '../../../errors.ts';
import { readDuration } from '../../../time/duration.ts';
import { defaultSignatureHeader, defaultToleranceMs } from '../../../webhooks/signature.ts';
import type { Flag, Invocation } from '../../command.ts';
import { token } from '../api/headers.ts';
import { readSigningKey, signingKeyFlag, signingKeyPath } from './signing-key.ts';

/** For commands that check signatures: the key must exist. */
export const keyFileFlag: Flag = {
  ...signingKeyFlag,
  description: 'file with the key that signs deliveries, as in webhooks create',
  required: true,
  heading: 'Flags',
};

export const toleranceFlag: Flag = {
  name: 'tolerance',
  value: 'DURATION',
  description: 'how old a signature may be, such as 10m (default 3m)',
  heading: 'Flags',
};

export const readTolerance = ({ typed, problems }: Invocation): number => {
  if (typed.tolerance === undefined) return defaultToleranceMs;
  const text = String(typed.tolerance);
  const milliseconds = readDuration(text);
  if (milliseconds === undefined)
    problems.value('tolerance', text, `--tolerance must be a duration such as 10m, not "${text}"`);
  return milliseconds ?? defaultToleranceMs;
};

export const signatureHeaderFlag: Flag = {
  name: 'signature-header',
  value: 'NAME',
  description: `header with the signature (default ${defaultSignatureHeader})`,
  heading: 'Flags',
};

/** The name of the header in lower case, as Node names headers. */
export const readSignatureHeader = ({ typed, problems }: Invocation): string => {
  const name = String(typed[signatureHeaderFlag.name] ?? defaultSignatureHeader);
  if (!token.test(name))
    problems.value(
      signatureHeaderFlag.name,
      name,
      `--${signatureHeaderFlag.name} must be the name of a header, such as ${defaultSignatureHeader}`,
    );
  return name.toLowerCase();
};

/** The key in `--signing-key-file`. Checks all problems of the command line first. */
export const existingKey = async (invocation: Invocation): Promise<string> => {
  const { context, problems } = invocation;
  const path = signingKeyPath(invocation);
  if (path === undefined) problems.missingFlag(signingKeyFlag.name);
  problems.check();
  const key = await readSigningKey(path!, context.runtime);
  if (key !== undefined) return key;
  throw new SchedError('environment', `No signing key in ${path}`, {
    reason: 'no such file',
    advice: 'webhooks create makes the file and subscribes with its key',
    hint: {
      command: ['webhooks', 'create'],
      flags: { url: 'https://example.com/hooks', events: 'invitee.created', 'signing-key-file': path! },
    },
  });
};
