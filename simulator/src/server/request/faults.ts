import type { Random } from '@quartermaster/kernel';
import { z } from 'zod';
import { apiError, badRequest } from '../../schema/api-status.ts';

const where = {
  /** Plural of a kind; all kinds unless given. */
  resource: z.string().optional(),
  /** get, list, watch, create, update, patch, delete, deletecollection; all unless given. */
  verbs: z.array(z.string()).optional(),
};

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('latency'),
    ...where,
    ms: z.number().min(0).max(600_000),
    jitterMs: z.number().min(0).max(600_000).optional(),
  }),
  z.strictObject({
    kind: z.literal('error'),
    ...where,
    code: z.number().int().min(400).max(599),
    probability: z.number().min(0).max(1).optional(),
    retryAfterSeconds: z.number().int().min(1).optional(),
  }),
  /** Watches stay open and say nothing. */
  z.strictObject({ kind: z.literal('frozen-watches'), resource: where.resource }),
  /** Lists show the state of when this fault was set, for as long as the server still knows it. */
  z.strictObject({ kind: z.literal('stale-lists'), resource: where.resource }),
]);

export type Fault = z.infer<typeof faultSchema>;

export interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  /** The revision when it was set. */
  readonly revision: number;
}

/** What goes wrong on purpose. All chance comes from one seeded source, so that a run repeats. */
export class Faults {
  readonly #random: Random;
  readonly #active = new Map<number, ActiveFault>(); // id -> fault
  #lastId = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault, revision: number): ActiveFault {
    this.#lastId += 1;
    const active = { id: this.#lastId, fault, revision };
    this.#active.set(active.id, active);
    return active;
  }

  remove(id: number): void {
    this.#active.delete(id);
  }

  clear(): void {
    this.#active.clear();
  }

  list(): ActiveFault[] {
    return [...this.#active.values()];
  }

  /** How long a request waits before it is served. Throws what it fails with instead. */
  meet(verb: string, resource: string): number {
    let delayMs = 0;
    for (const { fault } of this.#active.values()) {
      if (!isMeant(fault, verb, resource)) continue;
      if (fault.kind === 'latency') delayMs += fault.ms + this.#random.next() * (fault.jitterMs ?? 0);
      if (fault.kind === 'error' && this.#random.next() < (fault.probability ?? 1)) {
        const { code, retryAfterSeconds } = fault;
        throw apiError(code, reasons[code] ?? 'InternalError', 'a simulated fault', { retryAfterSeconds });
      }
    }
    return delayMs;
  }

  isFrozen(resource: string): boolean {
    return this.list().some(({ fault }) => fault.kind === 'frozen-watches' && isMeant(fault, 'watch', resource));
  }

  /** The revision that lists of a kind show, where a fault makes them stale. */
  staleRevision(resource: string): number | undefined {
    return this.list().find(({ fault }) => fault.kind === 'stale-lists' && isMeant(fault, 'list', resource))?.revision;
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function isMeant(fault: Fault, verb: string, resource: string): boolean {
  if (fault.resource !== undefined && fault.resource !== resource) return false;
  return !('verbs' in fault) || fault.verbs === undefined || fault.verbs.includes(verb);
}

/** A fault as it was sent. */
export function parseFault(value: unknown): Fault {
  const result = faultSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badRequest(`fault: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is invalid'}`);
}
