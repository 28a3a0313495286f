/** Browsers keep at least 4096 bytes of a cookie with its name and attributes. */
const chunkBytes = 3_800;
/** More would pass what servers take of headers. */
const mostChunks = 3;

/** What a sealed value may have at most. */
export const mostCookieBytes = chunkBytes * mostChunks;

export interface CookieForm {
  readonly name: string;
  readonly isSecure: boolean;
}

/** The value of a cookie that may have been written in parts. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = cookiesIn(header);
  const parts: string[] = [];
  for (let part = values.get(`${name}.0`); part !== undefined; part = values.get(`${name}.${parts.length}`)) parts.push(part);
  return values.get(name) ?? (parts.length === 0 ? undefined : parts.join(''));
}

/** The `Set-Cookie` lines that keep a value, in parts where it is long, and drop what an earlier one left in the browser. */
export function writeCookie(header: string | undefined, form: CookieForm, value: string, maxAgeSeconds: number): string[] {
  const parts = value.length <= chunkBytes ? [value] : (value.match(new RegExp(`.{1,${chunkBytes}}`, 'g')) ?? []);
  const nameOf = (index: number): string => (parts.length === 1 ? form.name : `${form.name}.${index}`);
  const written = new Map(parts.map((part, index) => [nameOf(index), part]));
  return [
    ...[...written].map(([name, part]) => line(form, name, part, maxAgeSeconds)),
    ...dropCookie(header, form).filter((drop) => !written.has(drop.slice(0, drop.indexOf('=')))),
  ];
}

/** The `Set-Cookie` lines that take it away, all its parts. */
export function dropCookie(header: string | undefined, form: CookieForm): string[] {
  const isPart = (name: string): boolean => name.startsWith(form.name) && /^(\.\d+)?$/.test(name.slice(form.name.length));
  return [...cookiesIn(header).keys()].filter(isPart).map((name) => line(form, name, '', 0));
}

function line({ isSecure }: CookieForm, name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
}

function cookiesIn(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(';').map((pair) => pair.split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name.trim(), value.join('=').trim()]));
}
