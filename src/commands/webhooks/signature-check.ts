import { SchedError } from '../../base/errors.ts';
import type { Context } from '../../cli/session/context.ts';
import type { VerificationInput } from './input.ts';
import { readSigningKey } from './signing-key.ts';
import { defaultSignatureHeader, defaultToleranceMs } from './work-signature.ts';

/** How to check signatures. */
export const readVerification = async (
  { signingKeyFile: path, signatureHeader, tolerance: toleranceMs = defaultToleranceMs }: VerificationInput,
  context: Context,
) => {
  const header = signatureHeader ?? (await context.dialect())?.webhooks?.signature_header ?? defaultSignatureHeader;
  const key = await readSigningKey(path, context.runtime);
  // In lower case, as Node names headers.
  if (key !== undefined) return { key, signatureHeader: header.toLowerCase(), toleranceMs };
  throw new SchedError('environment', `No signing key in ${path}`, {
    reason: 'no such file',
    advice: 'webhooks create makes the file and subscribes with its key',
    hint: {
      command: ['webhooks', 'create'],
      flags: { url: 'https://example.com/hooks', events: 'invitee.created', 'signing-key-file': path },
    },
  });
};
