import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { AmountSchema, ReasonSchema, StaleSourceSchema } from '@quartermaster/api/inventory';
import type { Amount, TotalAmount } from '../model/amount.ts';
import type { Reason, StaleSource } from '../model/node-inventory.ts';

export function amountMessage(amount: Amount | TotalAmount): MessageInitShape<typeof AmountSchema> {
  return {
    capacity: wireNumber(amount.capacity),
    allocatable: wireNumber(amount.allocatable),
    allocated: wireNumber(amount.allocated),
    available: wireNumber(amount.available),
    overcommitted: wireNumber(amount.overcommitted),
  };
}

const maxWireNumber = 2n ** 63n - 1n;

/** Sums of what people promise may be beyond what the wire carries. */
export function wireNumber(value: number | bigint): bigint {
  const whole = typeof value === 'bigint' ? value : BigInt(Math.floor(value));
  return whole > maxWireNumber ? maxWireNumber : whole;
}

export function reasonMessage({ code, message, since }: Reason): MessageInitShape<typeof ReasonSchema> {
  return { code, message, since: timestamp(since) };
}

export function staleMessage({ source, lastContactAt, reason }: StaleSource): MessageInitShape<typeof StaleSourceSchema> {
  return { source, reason, lastContactAt: timestamp(lastContactAt) };
}

export function timestamp(ms: number | undefined): Timestamp | undefined {
  return ms === undefined ? undefined : timestampFromMs(Math.round(ms));
}

export function amountMessages(amounts: ReadonlyMap<string, Amount | TotalAmount>): Record<string, MessageInitShape<typeof AmountSchema>> {
  return Object.fromEntries([...amounts].map(([name, each]) => [name, amountMessage(each)]));
}
