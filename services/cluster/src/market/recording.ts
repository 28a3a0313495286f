import { StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import type { OrderId } from '../model/order.ts';
import type { MarketOrder } from './market.ts';

/*
 * What a recorded market plays, one JSON object on each line. Times are milliseconds: `at` from the start, `afterMs` from what it follows. Orders are named by
 * `owner/dseq/gseq/oseq`.
 */

const id = z.string().regex(/^[^/\s]+\/\d{1,20}\/\d+\/\d+$/, 'must be owner/dseq/gseq/oseq');
const at = z.number().min(0).default(0);
const volume = z.object({
  name: z.string(),
  kind: z.enum(['ephemeral', 'ram', 'persistent']),
  bytes: z.number(),
  class: z.string().default(''),
});
const gpus = z.object({
  count: z.number(),
  wants: z.array(z.object({ vendor: z.string(), model: z.string(), memoryBytes: z.number().optional(), interface: z.string().optional() })),
});
const unit = z.object({
  id: z.number(),
  count: z.number(),
  cpuMillis: z.number(),
  memoryBytes: z.number(),
  gpus: gpus.optional(),
  volumes: z.array(volume).default([]),
  randomPorts: z.number().optional(),
  leasedIps: z.array(z.string()).optional(),
});
/** JSON with sorted keys, as a text: its hash is made of these bytes. */
const manifest = z.string();
const line = z.union([
  /** An order appears. */
  z.strictObject({
    order: id,
    at,
    units: z.array(unit),
    maxPrice: z.object({ denom: z.string(), amount: z.string() }),
    attributes: z.record(z.string(), z.string()).default({}),
    signedByAllOf: z.array(z.string()).default([]),
    signedByAnyOf: z.array(z.string()).default([]),
    manifest: manifest.optional(),
  }),
  /** A tenant changes what runs. */
  z.strictObject({ update: id, manifest, confirmed: z.array(z.string()).default([]), at }),
  /** A tenant's hand: at a time, or after our bid or our lease. */
  z.strictObject({ tenant: z.enum(['accept', 'accept-another', 'close-order', 'close-lease']), of: id, at }),
  z.strictObject({
    tenant: z.enum(['accept', 'accept-another', 'close-order', 'close-lease']),
    of: id,
    after: z.enum(['bid', 'lease']),
    afterMs: at,
  }),
  /** Reads fail, or tell what was so when it began; `mute`: nobody is woken. */
  z.strictObject({ gap: z.enum(['fail', 'stale', 'mute']), at, forMs: z.number().min(0) }),
  /** Wake-ups for nothing. */
  z.strictObject({ wake: z.number().int().min(1), at }),
  /** The n-th request of its kind gets no answer: before it took effect, or after. */
  z.strictObject({
    lose: z.enum(['request', 'answer']),
    of: z.enum(['createBid', 'closeBid', 'closeLease', 'report']),
    nth: z.number().int().min(1),
  }),
  /** How lists come: so many to a page, in any order, some of them twice. */
  z.strictObject({ pageSize: z.number().int().min(1).default(1000), shuffled: z.boolean().default(false) }),
]);

export type RecordedLine = z.output<typeof line>;
export type RecordedLineInput = z.input<typeof line>;

/** Throws `invalid_argument` with the number of the line that says nothing. Empty ones, and those that begin with `#`, are left out. */
export function parseRecording(text: string): readonly RecordedLine[] {
  return text.split('\n').flatMap((written, index) => {
    if (written.trim() === '' || written.startsWith('#')) return [];
    const read = line.safeParse(jsonOf(written));
    if (read.success) return [read.data];
    throw new StatusError(
      'invalid_argument',
      `line ${index + 1} of the recording says nothing that can be played: ${z.prettifyError(read.error)}`,
    );
  });
}

/** Of `owner/dseq/gseq/oseq`. */
export function orderOf(text: string): OrderId {
  const [owner = '', dseq = '0', gseq, oseq] = text.split('/');
  return { owner, dseq: BigInt(dseq), gseq: Number(gseq), oseq: Number(oseq) };
}

export function recordedOrder(written: Extract<RecordedLine, { readonly order: string }>, createdAt: number): MarketOrder {
  const { order, units, maxPrice, attributes, signedByAllOf, signedByAnyOf } = written;
  return {
    order: orderOf(order),
    request: { units: units.map(({ volumes, ...rest }) => ({ ...rest, volumes: volumes.map(volumeOf) })) },
    requirements: { attributes: new Map(Object.entries(attributes)), signedByAllOf, signedByAnyOf },
    maxPrice,
    httpEndpoints: new Map(),
    createdAt,
  };
}

function volumeOf({ kind, name, bytes, class: storageClass }: z.output<typeof volume>) {
  return kind === 'persistent' ? { kind, name, bytes, class: storageClass } : { kind, name, bytes };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
