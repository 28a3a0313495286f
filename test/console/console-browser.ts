import { Agent, fetch, type Response } from 'undici';

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What a browser is to a console: it keeps cookies and the key of its session, and its pages say whose they are. */
export class ConsoleBrowser {
  /** name -> value. Cookies know no ports: two replicas on one machine share them. */
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie` line that came. */
  readonly cookieLines: string[] = [];
  /** Of the last sign-in: what pages keep, and show with every request. */
  key: string | undefined;
  readonly #agent: Agent;

  constructor(authority: string | undefined) {
    this.#agent = new Agent({ connect: { ca: authority }, bodyTimeout: 0 });
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** As a page of the console sends it; no redirect is followed. */
  async send(
    method: string,
    url: string,
    { headers = {}, body, signal = null }: { signal?: AbortSignal | null } & Omit<SendOptions, 'signal'> = {},
  ) {
    const isWrite = method !== 'GET';
    const shown = { 'x-quartermaster-console': this.key ?? '1' };
    const own = isWrite ? { origin: new URL(url).origin, ...shown } : shown;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const cookie = this.cookies.size === 0 ? {} : { cookie: this.cookieHeader };
    const answer = await fetch(url, {
      method,
      headers: { ...own, ...type, ...cookie, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      dispatcher: this.#agent,
      signal,
    });
    this.#keep(answer);
    if (answer.ok && method === 'POST' && /\/api\/session(\/oidc\/callback)?$/.test(url)) {
      const { key } = (await answer.clone().json()) as { readonly key?: string };
      this.key = key ?? this.key;
    }
    return answer;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #keep(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      this.cookieLines.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
