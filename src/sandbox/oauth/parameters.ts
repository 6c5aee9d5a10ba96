import type { HttpRequest } from '../../http/message.ts';

export interface Parameters {
  /** The first value of each. */
  values: Record<string, string>;
  /** Those given more than once, which RFC 6749 §3.1 forbids. */
  repeated: string[];
}

/** RFC 6749 §3.1: a parameter without a value counts as not given. */
export const readParameters = (search: URLSearchParams): Parameters => {
  const given = [...search].filter(([, value]) => value !== '');
  const names = given.map(([name]) => name);
  return {
    values: Object.fromEntries([...given].reverse()),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
  };
};

/** The parameters of a form, or `undefined` where the body is none. */
export const readForm = ({ body = '' }: HttpRequest, contentType: string | undefined): Parameters | undefined =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? '')
    ? readParameters(new URLSearchParams(body))
    : undefined;
