import type { HttpRequest } from '../../http/message.ts';

export interface Parameters {
  /** The first value of each parameter. */
  values: Record<string, string>;
  /** Parameters given more than once, which RFC 6749 §3.1 forbids. */
  repeated: string[];
}

/** RFC 6749 §3.1: a parameter without a value is treated as missing. */
export const readParameters = (search: URLSearchParams): Parameters => {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of search) {
    if (value === '') continue;
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values: Object.fromEntries(values), repeated: [...repeated] };
};

/** The parameters of a form, or `undefined` if the body isn't a form. */
export const readForm = ({ body = '' }: HttpRequest, contentType: string | undefined): Parameters | undefined =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')
    ? readParameters(new URLSearchParams(body))
    : undefined;
