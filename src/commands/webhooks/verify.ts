import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { readNamedFile } from '../../state/named-file.ts';
import { type VerifyInput, verifyInput } from './input.ts';
import { readVerification } from './signature-check.ts';
import { mostBodyBytes } from './work-receiver.ts';
import { checkSignature, type SignatureCheck } from './work-signature.ts';

/** The body as raw bytes: the signature is over these, not over the text or the JSON in them. */
const readDelivery = async (file: string, { stdin, interrupted }: HeadlessRuntime): Promise<Uint8Array> => {
  try {
    return await (file === '-' ? stdin.bytes(mostBodyBytes) : readNamedFile(file, interrupted, mostBodyBytes));
  } catch (error) {
    interrupted.throwIfAborted();
    if (error instanceof SchedError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SchedError('environment', `Can't read ${file === '-' ? 'stdin' : file}`, {
      reason: code === 'ENOENT' ? 'no such file' : (code ?? message),
    });
  }
};

const ageWords = (ageMs: number): string => {
  const seconds = Math.round(Math.abs(ageMs) / 1000);
  const words = seconds < 120 ? counted(seconds, 'second') : counted(Math.round(seconds / 60), 'minute');
  return ageMs < 0 ? `it was made ${words} in the future` : `it was made ${words} ago`;
};

const problemOf = (verdict: SignatureCheck, now: number): SchedError | undefined => {
  if (verdict.kind === 'ok') return undefined;
  if (verdict.kind === 'forged')
    return new SchedError('integrity', 'The signature is wrong: forged, or made for another key or body', {
      reason: "it doesn't match this key and body",
    });
  if (verdict.kind === 'malformed')
    return new SchedError('integrity', "Can't read the signature", { reason: verdict.why });
  return new SchedError('integrity', 'The signature is right, but its time is too far from now', {
    reason: ageWords(now - verdict.signedAtMs),
    advice: words`use ${the('tolerance')} to accept it`,
  });
};

const verdictFacts = (verdict: SignatureCheck, now: number) => ({
  verdict: verdict.kind,
  signed_at: 'signedAtMs' in verdict ? new Date(verdict.signedAtMs).toISOString() : null,
  age_seconds: 'signedAtMs' in verdict ? Math.floor((now - verdict.signedAtMs) / 1000) : null,
});

/** The value of a header. People also copy the whole line, `Webhook-Signature: t=…`. */
const headerValue = (header: string, name: string): string =>
  header.toLowerCase().startsWith(`${name}:`) ? header.slice(name.length + 1) : header;

const runVerify = async (values: VerifyInput, { context }: Call): Promise<RecordAnswer> => {
  const { runtime } = context;
  const { key, signatureHeader, toleranceMs } = await readVerification(values, context);
  const body = await readDelivery(values.body, runtime);
  const now = runtime.clock.now();
  const header = headerValue(values.signature, signatureHeader);
  const verdict = checkSignature({ header, body }, { key, now, toleranceMs });
  const problem = problemOf(verdict, now);
  return {
    kind: 'record',
    view: { columns: [], id: 'verdict' },
    record: verdictFacts(verdict, now),
    text: problem === undefined ? 'ok' : '',
    failure: problem,
  };
};

export const verifyCommand: Command = {
  name: 'verify',
  summary: "Check a delivery's signature",
  ...taking(verifyInput, runVerify),
  fields: ['verdict', 'signed_at', 'age_seconds'],
  local: true,
  examples: [
    'webhooks verify --signing-key-file hooks.key --signature "$WEBHOOK_SIGNATURE" < body.json',
    'webhooks verify --signing-key-file hooks.key --signature "$WEBHOOK_SIGNATURE" --body body.json --tolerance 10m --json',
  ],
  notes: [
    'Prints ok, or exits with 13 and says why not: forged, too old, or no signature at all. Three minutes of difference are allowed, in both directions.',
    'The body must have exactly the bytes of the delivery. JSON that was parsed and written again has another signature.',
    'docs/webhooks.md does the same in Node, Python and bash.',
  ],
};
