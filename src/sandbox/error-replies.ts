export interface Detail {
  parameter?: string;
  message: string;
  code?: string;
}

/** An error reply, thrown anywhere. */
export class Refusal extends Error {
  readonly status: number;
  readonly title: string;
  /** Extra fields of the body. */
  readonly more: Record<string, unknown>;
  readonly headers: Record<string, string>;
  /** The rule of OAuth that the client missed, for the log. */
  readonly missed: string | undefined;

  constructor(
    status: number,
    title: string,
    message: string,
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
    missed?: string,
  ) {
    super(message);
    this.status = status;
    this.title = title;
    this.more = more;
    this.headers = headers;
    this.missed = missed;
  }

  get body(): string {
    return JSON.stringify({ title: this.title, message: this.message, ...this.more });
  }
}

/** The reply to any error. */
export const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(500, 'Internal Server Error', 'The sandbox had an internal error.');

// Assumed (errors.shape): an error has `title`, `message` and sometimes `details` with `parameter`, `message` and
// `code`. The documentation shows neither this shape nor any status except 429.
export const invalid = (...details: Detail[]) =>
  new Refusal(400, 'Invalid Argument', 'The supplied parameters are invalid.', { details });

export const detail = (parameter: string, message: string, code = 'invalid'): Detail => ({ parameter, message, code });

export const invalidParameter = (...wrong: Parameters<typeof detail>) => invalid(detail(...wrong));

/** Refuses the request if there are any details. */
export const refuseInvalid = (details: Detail[]): void => {
  if (details.length > 0) throw invalid(...details);
};

export const unauthenticated = (message: string, missed?: string) =>
  new Refusal(401, 'Unauthenticated', message, {}, { 'www-authenticate': 'Bearer' }, missed);

export const denied = (message: string) => new Refusal(403, 'Permission Denied', message);

export const notFound = (what: string) => new Refusal(404, 'Resource Not Found', `The ${what} doesn't exist.`);

/** The value, if it exists. */
export const requireFound = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw notFound(what);
  return value;
};

export const wrongMethod = (allow: string) =>
  new Refusal(405, 'Method Not Allowed', `This path only supports ${allow}.`, {}, { allow });

/** For data on this machine that can't be read or written. */
export const broken = (message: string) => new Refusal(500, 'Internal Server Error', message);

export const conflict = (message: string) => new Refusal(409, 'Already Exists', message);
