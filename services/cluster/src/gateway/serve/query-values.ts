import { type FieldViolation, invalidFields, StatusError } from '@quartermaster/kernel';
import type { LogWish } from '../streams/log-stream.ts';
import type { ShellWish } from '../streams/shell-stream.ts';

/** Which lease a path is about, without its owner. */
export interface LeaseNumbers {
  readonly dseq: bigint;
  readonly gseq: number;
  readonly oseq: number;
}

const most64 = 2n ** 64n - 1n;
const most32 = 2 ** 32 - 1;
const maxServices = 64;
const maxWords = 100;
const maxCommand = 16_384;
const mostTail = 1_000_000;

export const leaseNumbers = (parts: Readonly<Record<string, string>>): LeaseNumbers => ({
  dseq: dseqOf(parts['dseq']),
  gseq: seqOf('gseq', parts['gseq']),
  oseq: seqOf('oseq', parts['oseq']),
});

export function dseqOf(text: string | undefined): bigint {
  const number = /^[1-9]\d{0,19}$/.test(text ?? '') ? BigInt(text ?? '') : 0n;
  if (number > 0n && number <= most64) return number;
  throw new StatusError('invalid_argument', 'dseq: must be a whole number from 1 to 2^64-1');
}

function seqOf(name: string, text: string | undefined): number {
  const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  if (number > 0 && number <= most32) return number;
  throw new StatusError('invalid_argument', `${name}: must be a whole number from 1 to 2^32-1`);
}

/** Reads a query whose every parameter is known. What it does not know is refused: whoever misspells a name would get something else than they asked for. */
class Query {
  readonly #query: URLSearchParams;
  readonly #violations: FieldViolation[] = [];
  readonly #known = new Set<string>();

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    const all = this.#query.getAll(name);
    if (all.length > 1) this.refuse(name, 'must be there once');
    return all[0];
  }

  flag(name: string): boolean {
    const value = this.text(name) ?? '';
    if (!['', '0', '1', 'false', 'true'].includes(value)) this.refuse(name, 'must be 0, 1, true or false');
    return value === '1' || value === 'true';
  }

  /** Undefined where it is not there. */
  number(name: string, { min = 0, most }: { readonly min?: number; readonly most: number }): number | undefined {
    const value = this.text(name);
    if (value === undefined || value === '') return undefined;
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= most) return number;
    this.refuse(name, `must be a whole number from ${min} to ${most}`);
    return undefined;
  }

  refuse(field: string, description: string): void {
    this.#violations.push({ field, description });
  }

  end(): void {
    for (const name of new Set(this.#query.keys()))
      if (!this.#known.has(name))
        this.refuse(name.slice(0, 64), `is not a parameter here: there are ${[...this.#known].toSorted().join(', ') || 'none'}`);
    if (this.#violations.length > 0) throw invalidFields(this.#violations);
  }
}

export function logWish(query: URLSearchParams): LogWish {
  const read = new Query(query);
  const services = (read.text('service') ?? '').split(',').filter((each) => each !== '');
  if (services.length > maxServices) read.refuse('service', `must name at most ${maxServices} services`);
  const follow = read.flag('follow');
  // The ecosystem says -1 for all lines.
  const tail = read.number('tail', { min: -1, most: Number.MAX_SAFE_INTEGER });
  read.end();
  return { services: [...new Set(services)], follow, tail: tail === -1 || tail === undefined ? undefined : Math.min(tail, mostTail) };
}

export function eventWish(query: URLSearchParams): { readonly follow: boolean } {
  const read = new Query(query);
  const follow = read.flag('follow');
  // Clients of the ecosystem ask for it, as of logs: there are never so many events.
  read.number('tail', { min: -1, most: Number.MAX_SAFE_INTEGER });
  read.end();
  return { follow };
}

export function shellWish(query: URLSearchParams): ShellWish {
  const read = new Query(query);
  const words = [...query.keys()].filter((name) => /^cmd\d+$/.test(name)).length;
  const command = Array.from({ length: Math.min(words, maxWords) }, (_each, at) => read.text(`cmd${at}`));
  if (words === 0) read.refuse('cmd0', 'is missing: say what is to be run, as cmd0, cmd1 and so on');
  if (words > maxWords) read.refuse('cmd0', `a command must have at most ${maxWords} words`);
  if (command.includes(undefined)) read.refuse('cmd0', 'words of the command must be numbered from 0 without a gap');
  if (command.reduce((sum, word) => sum + (word?.length ?? 0), 0) > maxCommand)
    read.refuse('cmd0', `a command must have at most ${maxCommand} characters`);
  if (command[0] === '') read.refuse('cmd0', 'must not be empty');
  const wish = {
    command: command.map((word) => word ?? ''),
    tty: read.flag('tty'),
    stdin: read.flag('stdin'),
    service: read.text('service') ?? '',
    podIndex: read.number('podIndex', { most: 10_000 }) ?? 0,
  };
  read.end();
  return wish;
}

/** Volumes whose loss the tenant confirms. */
export function confirmedIn(query: URLSearchParams): readonly string[] {
  const unknown = [...query.keys()].find((name) => name !== 'confirm');
  if (unknown === undefined) return query.getAll('confirm');
  throw new StatusError('invalid_argument', `${unknown.slice(0, 64)}: is not a parameter here: there is confirm`);
}
