import { isLoopbackUrl } from '../../base/uri.ts';

/**
 * A path of this service, a part of the page, or an address of this machine. To a browser, `//` and `/\` begin the name of
 * another host, also with a tab or a line break between the two.
 */
export const isOwnLink = (link: string): boolean =>
  /^(?:[#?]|\/(?![/\\])|https?:\/\/)[^\t\r\n]*$/i.test(link) && (!/^http/i.test(link) || isLoopbackUrl(link));

/** Before a value that is a link. The script of an embedded page makes a frame of `data-url`. */
const linkStart = /[\s"'](?:href|src|(?:form)?action|data-url)=["']?$/i;

/** Text that is safe as HTML. Only `html` creates it, so text that wasn't escaped can't become part of a page. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static join(parts: readonly string[], values: readonly Content[]): Html {
    const safe = values.map((value, index) =>
      typeof value === 'string' && linkStart.test(parts[index]!) && !isOwnLink(value) ? '#' : contentText(value),
    );
    return new Html(String.raw({ raw: parts }, ...safe));
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template takes: `undefined` and `false` show nothing. */
export type Content = string | number | Html | undefined | false | readonly Content[];

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters, and characters that change the direction of the text around them. */
const unshowable = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (text: string): string =>
  text.replaceAll(unshowable, '\ufffd').replaceAll(/[&<>"']/g, (sign) => escapes[sign]!);

const contentText = (value: Content): string => {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escaped(value);
  return Array.isArray(value) ? value.map(contentText).join('') : String(value);
};

/**
 * A piece of a page. Every string in it is escaped; write quotes around the values of attributes. A link that doesn't lead
 * to this service becomes `#`, unless it is a piece of a page, too.
 */
export const html = (parts: TemplateStringsArray, ...values: Content[]): Html => Html.join(parts, values);
