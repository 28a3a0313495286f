import { personHeader } from './provider-issuer.ts';

/** A person with a browser, who was shown an address and a code. */
export class DevicePerson {
  readonly #name: string;
  readonly #cookies = new Map<string, string>(); // name -> value, of the one issuer that it talks to

  constructor(name: string) {
    this.#name = name;
  }

  /** Logs in and lets the program in, or refuses it. Resolves with the text of the last page. */
  async answer(address: string, choice: 'confirm' | 'abort'): Promise<string> {
    const page = await this.#open(address);
    const field = (name: string): string => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
    const form = new URLSearchParams({ xsrf: field('xsrf'), user_code: field('user_code'), [choice]: 'yes' });
    return await this.#open(address.replace(/\?.*$/, ''), form);
  }

  async #open(address: string, form?: URLSearchParams): Promise<string> {
    const response = await fetch(address, {
      method: form === undefined ? 'GET' : 'POST',
      ...(form === undefined ? {} : { body: form }),
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '), [personHeader]: this.#name },
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const next = response.headers.get('location');
    return next === null ? await response.text() : await this.#open(new URL(next, address).href);
  }
}
