import { isIP } from 'node:net';
import { urlIn } from '../../base/uri.ts';
import { self, the, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { count, duration, file, word } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';
import { headerName } from '../../http/message.ts';
import { keyFileEntry } from './signing-key.ts';
import { defaultSignatureHeader } from './work-signature.ts';

/** For commands that check signatures, or sign: the key must exist. */
export const signingKeyFile = keyFileEntry('file with the key that signs deliveries, as in webhooks create', {
  needed: true,
});

export const headerKind: Kind<string> = {
  value: 'NAME',
  json: 'string',
  isProse: true,
  read: (raw) =>
    headerName.test(raw)
      ? accept(raw)
      : refuse(words`${self} must be the name of a header, such as ${defaultSignatureHeader}`),
};

const verification = {
  signatureHeader: entry(headerKind, `header with the signature (default ${defaultSignatureHeader})`),
  tolerance: duration('how old a signature may be, such as 10m (default 3m)', { such: '10m' }),
};

export type VerificationInput = Values<typeof verification> & { signingKeyFile: string };

export const handlerKind: Kind<URL> = {
  value: 'URL',
  json: 'string',
  read: (raw) => {
    const url = urlIn(raw);
    if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '') return accept(url);
    return refuse(words`${self} must be an http or https URL without a user, such as http://127.0.0.1:3000/hooks`);
  },
};

export const addressKind: Kind<string> = {
  value: 'ADDRESS',
  json: 'string',
  read: (raw) =>
    isIP(raw) !== 0 || raw === 'localhost'
      ? accept(raw)
      : refuse(words`${self} must be an IP address of this machine, not "${raw}"`),
};

const listening = {
  signingKeyFile: keyFileEntry(
    'file with the key that signs deliveries, as in webhooks create; on a terminal, sched makes one if you name none',
    {},
  ),
  forwardTo: entry(handlerKind, 'send each delivery to this handler, with the same bytes and headers'),
  port: count('port to listen on; 0 for any free port (default 4242)', { most: 65_535, preset: 4242 }),
  bind: entry(addressKind, 'address to listen on (default 127.0.0.1, for this machine only)', {
    preset: '127.0.0.1',
  }),
  ...verification,
};

/** A script must name the key: what signs with it is made elsewhere. */
const hasKey = rule(['signingKeyFile'], (isGiven, { isTerminal }) =>
  isGiven('signingKeyFile') || isTerminal ? [] : [{ missing: 'signing-key-file' }],
);

export const listenInput = input(listening, hasKey);

export type ListenInput = Values<typeof listening>;

const verifying = {
  signingKeyFile,
  signature: word('value of the header Webhook-Signature, or the whole line', { value: 'HEADER', needed: true }),
  body: file('body of the delivery, exactly as received (default: stdin)', { value: 'FILE|-', preset: '-' }),
  ...verification,
};

const hasBody = rule(['body'], (isGiven, { runtime }) =>
  !isGiven('body') && runtime.stdin.isTerminal
    ? [{ words: words`Missing body. Pass it on stdin or with ${the('body')} FILE` }]
    : [],
);

export const verifyInput = input(verifying, hasBody);

export type VerifyInput = Values<typeof verifying>;
