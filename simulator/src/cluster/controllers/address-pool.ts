import { StatusError } from '@quartermaster/kernel';

/** Numbers from a range, each given to one holder at a time. Pure: what is taken is told by the caller after a restart. */
export class AddressPool {
  readonly #first: number;
  readonly #last: number;
  readonly #holders = new Map<number, string>(); // number -> holder
  #next: number;

  constructor(first: number, last: number) {
    this.#first = first;
    this.#last = last;
    this.#next = first;
  }

  /** Marks a number as held, whoever had it before. Numbers outside the range are not ours and ignored. */
  keep(number: number, holder: string): void {
    if (this.has(number)) this.#holders.set(number, holder);
  }

  has(number: number): boolean {
    return number >= this.#first && number <= this.#last;
  }

  holderOf(number: number): string | undefined {
    return this.#holders.get(number);
  }

  /** The next free number, for this holder from now on. Throws `unavailable` when all are taken. */
  take(holder: string): number {
    for (let tried = this.#first; tried <= this.#last; tried += 1) {
      const number = this.#next;
      this.#next = number === this.#last ? this.#first : number + 1;
      if (this.#holders.has(number)) continue;
      this.#holders.set(number, holder);
      return number;
    }
    throw new StatusError(
      'unavailable',
      `all ${this.#last - this.#first + 1} addresses of the pool are in use: delete Services, or extend the pool`,
    );
  }

  release(number: number): void {
    this.#holders.delete(number);
  }
}

export function ipv4ToNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function numberToIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** `10.0.0.0/24` or `10.0.0.5-10.0.0.9` as first and last usable number. Throws `invalid_argument` naming the text. */
export function addressRange(text: string): { readonly first: number; readonly last: number } {
  const [start = '', end] = text.includes('-') ? text.split('-').map((part) => part.trim()) : text.split('/');
  const first = ipv4ToNumber(start);
  const last = text.includes('-') ? ipv4ToNumber(end ?? '') : first + 2 ** (32 - Number(end ?? 32)) - 1;
  const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(start);
  if (isAddress && Number.isFinite(first) && Number.isFinite(last) && last >= first) return { first, last };
  throw new StatusError(
    'invalid_argument',
    `address range "${text}" must be a network such as 192.0.2.0/24 or a range such as 192.0.2.1-192.0.2.9`,
  );
}
