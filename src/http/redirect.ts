import type { HttpRequest, Layer } from './message.ts';

const maxHops = 3;

const redirectTarget = ({ url }: HttpRequest, location: string | undefined): string | undefined => {
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  const isSame = target.origin === new URL(url).origin && target.username === '' && target.password === '';
  return isSame ? target.href : undefined;
};

/** Follows redirects of reads within their origin, up to three hops. Other redirects are returned as they are. */
export const redirect: Layer = (next) => async (request) => {
  let reply = await next(request);
  let current = request;
  for (let hop = 0; hop < maxHops && request.method === 'GET'; hop += 1) {
    const target = [301, 302, 303, 307, 308].includes(reply.status)
      ? redirectTarget(current, reply.headers.location)
      : undefined;
    if (target === undefined) return reply;
    current = { ...current, url: target };
    reply = await next(current);
  }
  return reply;
};
