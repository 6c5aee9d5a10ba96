export interface VisitedPage {
  url: string;
  text: string;
}

/**
 * A person with a browser, as far as the pages of a login need one: follows redirects, keeps cookies, and fills in forms.
 * Much cheaper than a real browser. auth-login.test.ts uses a real one.
 */
export const createVisitor = () => {
  const cookies = new Map<string, string>();

  const visit = async (url: string, form?: Record<string, string>): Promise<VisitedPage> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...sent });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      // A cookie is deleted by an empty value.
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    return location === null ? { url, text } : visit(new URL(location, url).href);
  };

  /** Sends the first form of a page. */
  const submit = ({ url, text }: VisitedPage, typed: Record<string, string> = {}): Promise<VisitedPage> => {
    const [form] = /<form[\s\S]*?<\/form>/.exec(text)!;
    const [, action] = /action="([^"]+)"/.exec(form)!;
    const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    return visit(new URL(action!, url).href, { ...fields, ...typed });
  };

  return { visit: (url: string) => visit(url), submit };
};
