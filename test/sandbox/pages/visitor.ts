import { origin, type World } from '../world.ts';

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
const unescaped = (text: string) => text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (name) => entities[name]!);

const attribute = (tag: string, name: string) => unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** What a browser would send with the form of a page, if nobody typed anything. */
const fieldsIn = (html: string): Record<string, string> => {
  const [form = ''] = /<form method="post"[\s\S]*?<\/form>/.exec(html) ?? [];
  const inputs = [...form.matchAll(/<input [^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !/type="(?:radio|checkbox)"/.test(tag) || tag.includes(' checked'));
  const areas = [...form.matchAll(/<textarea( [^>]*)>\n?([^<]*)<\/textarea>/g)];
  return Object.fromEntries([
    ...inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]),
    ...areas.map(([, tag = '', text = '']) => [attribute(tag, 'name'), unescaped(text)]),
  ]);
};

/** Someone with a browser that runs no scripts. */
export const visitorOf = ({ send }: Pick<World, 'send'>, base = origin) => {
  const ask = async (path: string, more: { method?: string; body?: string; headers?: Record<string, string> } = {}) => {
    const url = new URL(path, base);
    const { status, headers, body } = await send({ method: 'GET', headers: {}, ...more, url: url.href });
    const links = [...body.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => unescaped(href));
    // A `bdi` makes no gap in a line.
    const text = unescaped(body.replaceAll(/<\/?bdi\b[^>]*>/g, '').replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
    return { status, headers, body, text, url, links, fields: fieldsIn(body) };
  };
  type Page = Awaited<ReturnType<typeof ask>>;

  /** Sends the form of a page. A redirect is not followed. */
  const submit = (page: Page, typed: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.body) ?? [];
    return ask(new URL(unescaped(action), page.url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: `${new URLSearchParams({ ...page.fields, ...typed })}`,
    });
  };
  return {
    open: (path: string, more: Parameters<typeof ask>[1] = {}) => ask(path, more),
    submit,
    follow: ({ headers }: Page) => ask(headers.location!),
  };
};

export type Page = Awaited<ReturnType<ReturnType<typeof visitorOf>['open']>>;
