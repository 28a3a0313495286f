import type { BidDecisionStatus, BidDecision as DecisionObject } from '@quartermaster/api/bid-decision';
import { StatusError } from '@quartermaster/kernel';
import { type BidDecision, decisionPhases } from './bid-decision.ts';

/** What the object of a decision says. */
export function decisionObject(decision: BidDecision): DecisionObject {
  const { name, order } = decision;
  const { owner, dseq, gseq, oseq } = order;
  return { metadata: { name }, spec: { order: { owner, dseq: String(dseq), gseq, oseq } }, status: statusOf(decision) };
}

/** As a merge patch: what is not there any more is taken out. */
export function decisionPatch(decision: BidDecision, resourceVersion: string): object {
  const status: Record<string, unknown> = { ...statusOf(decision) };
  for (const [field, value] of Object.entries(status)) status[field] = value ?? null;
  return { metadata: { resourceVersion }, status };
}

function statusOf({ phase, reasons, price, priceParts, ...times }: BidDecision): BidDecisionStatus {
  return {
    phase,
    reasons: reasons.map(({ code, message }) => ({ code, message })),
    price: price && { denom: price.denom, amount: price.amount },
    priceParts: priceParts && Object.fromEntries(priceParts),
    changedAt: new Date(times.changedAt).toISOString(),
    orderedAt: timeText(times.orderedAt),
    reservedAt: timeText(times.reservedAt),
    bidAt: timeText(times.bidAt),
    wonAt: timeText(times.wonAt),
    endedAt: timeText(times.endedAt),
  };
}

export function readDecision({ metadata, spec, status }: DecisionObject): BidDecision {
  const { name = '' } = metadata ?? {};
  const phase = decisionPhases.find((each) => each === status?.phase);
  if (status === undefined || phase === undefined || !/^\d{1,20}$/.test(spec.order.dseq))
    throw new StatusError('failed_precondition', `BidDecision ${name} cannot be read: it has no phase, or names no order`);
  const { owner, dseq, gseq, oseq } = spec.order;
  return {
    name,
    order: { owner, dseq: BigInt(dseq), gseq, oseq },
    phase,
    reasons: status.reasons ?? [],
    price: status.price,
    priceParts: status.priceParts && new Map(Object.entries(status.priceParts)),
    changedAt: timeOf(status.changedAt) ?? 0,
    orderedAt: timeOf(status.orderedAt),
    reservedAt: timeOf(status.reservedAt),
    bidAt: timeOf(status.bidAt),
    wonAt: timeOf(status.wonAt),
    endedAt: timeOf(status.endedAt),
  };
}

const timeText = (time: number | undefined): string | undefined => (time === undefined ? undefined : new Date(time).toISOString());

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
