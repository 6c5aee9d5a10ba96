import type { HttpRequest } from '../../http/message.ts';

export interface Parameters {
  /** The first value of each parameter. */
  values: Record<string, string>;
  /** Parameters given more than once, which RFC 6749 §3.1 forbids. */
  repeated: string[];
}

/** RFC 6749 §3.1: a parameter without a value is treated as missing. */
export const readParameters = (search: URLSearchParams): Parameters => {
  const given = [...search].filter(([, value]) => value !== '');
  const names = given.map(([name]) => name);
  return {
    values: Object.fromEntries([...given].reverse()),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
  };
};

/** The parameters of a form, or `undefined` if the body isn't a form. */
export const readForm = ({ body = '' }: HttpRequest, contentType: string | undefined): Parameters | undefined =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')
    ? readParameters(new URLSearchParams(body))
    : undefined;
