import type { Problems } from '../../cli/messages/problems.ts';
import { headerName } from '../../http/message.ts';

/** Headers that `sched` or the connection sets, or that could turn a checked request into a different one. */
const reserved = new Set(
  [
    'host content-length transfer-encoding connection keep-alive proxy-connection te trailer upgrade expect http2-settings',
    'accept-encoding content-encoding user-agent',
    'x-http-method x-http-method-override x-method-override x-original-url x-original-uri x-rewrite-url',
  ]
    .join(' ')
    .split(' '),
);

const secrets = /authorization|authenticate|cookie|api-?key|secret|password|(^|-)(auth|access|bearer)-?token$/;

/** Reads the `Name: value` of each `-H`. Problems never quote a value: it may be a secret, passed by mistake. */
export const readHeaders = (given: readonly string[], problems: Problems): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [index, raw] of given.entries()) {
    const [, name = '', text = ''] = /^([^:]*):(.*)$/s.exec(raw) ?? [];
    const [key, value] = [name.toLowerCase(), text].map((part) => part.replace(/^[ \t]+|[ \t]+$/g, '')) as [
      string,
      string,
    ];
    const wrong = (problem: string) => problems.add(`-H number ${index + 1} ${problem}`);
    if (!headerName.test(key)) wrong("is not 'Name: value'");
    else if (secrets.test(key))
      wrong(`(${key}) can't be set: sched adds the token itself, and flags must not contain secrets`);
    else if (reserved.has(key) || key.startsWith('proxy-') || key.startsWith('sec-'))
      wrong(`(${key}) can't be set: sched or the connection controls it`);
    else if (!/^[\t\x20-\x7e]+$/.test(value))
      wrong(`(${key}) ${value === '' ? 'has no value' : 'contains a line break, NUL or non-ASCII character'}`);
    else headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`; // RFC 9110 §5.2
  }
  return headers;
};
