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

export const verificationFlags: Flag[] = [
  {
    name: 'signature-header',
    value: 'NAME',
    description: `header with the signature (default ${defaultSignatureHeader})`,
  },
  { name: 'tolerance', value: 'DURATION', description: 'how old a signature may be, such as 10m (default 3m)' },
];

/** How to check signatures. Checks all problems of the command line before it reads the key. */
export const readVerification = async (invocation: Invocation) => {
  const { context, typed, problems } = invocation;
  const { tolerance, [signingKeyFlag.name]: keyFile } = typed;
  const toleranceMs = tolerance === undefined ? defaultToleranceMs : readDuration(String(tolerance));
  if (toleranceMs === undefined)
    problems.value('tolerance', String(tolerance), `--tolerance must be a duration such as 10m, not "${tolerance}"`);
  const header = String(
    typed['signature-header'] ?? (await context.dialect())?.webhooks?.signature_header ?? defaultSignatureHeader,
  );
  if (!token.test(header))
    problems.value(
      'signature-header',
      header,
      `--signature-header must be the name of a header, such as ${defaultSignatureHeader}`,
    );
  const path = signingKeyPath(invocation);
  if (keyFile === undefined) problems.missingFlag(signingKeyFlag.name);
  problems.check();
  const key = await readSigningKey(path!, context.runtime);
  // In lower case, as Node names headers.
  if (key !== undefined) return { key, signatureHeader: header.toLowerCase(), toleranceMs: toleranceMs! };
  throw new SchedError('environment', `No signing key in ${path}`, {
    reason: 'no such file',
    advice: 'webhooks create makes the file and subscribes with its key',
    hint: {
      command: ['webhooks', 'create'],
      flags: { url: 'https://example.com/hooks', events: 'invitee.created', 'signing-key-file': path! },
    },
  });
};
