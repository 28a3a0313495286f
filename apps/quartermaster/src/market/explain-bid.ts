import { toJson } from '@bufbuild/protobuf';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { type BidDecision, BidDecisionSchema, BidPhaseSchema, BidService } from '@quartermaster/api/cluster';
import { bidDecisionState, orderText, priceWords, resourceWord } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { parseOrder } from '../reservations/order-name.ts';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { type Paint, paintFor } from '../text/paint.ts';
import { stateText } from '../text/state-text.ts';
import { indented, table } from '../text/table.ts';
import { clockText } from '../text/time-text.ts';

export interface ExplainBidFlags extends ServerFlags {
  readonly output: 'text' | 'json' | 'yaml';
}

/** Why the provider bid on an order or did not, as its cluster service has it on record. */
export async function explainBid([typed = '']: readonly string[], flags: ExplainBidFlags, { out }: Output): Promise<void> {
  const order = parseOrder(typed);
  const connection = connectTo('cluster', findServer('cluster', flags, process.env));
  const { decision } = await using(connection, (open) => open.client(BidService).getBidDecision({ order }));
  if (decision === undefined) throw new StatusError('internal', `the cluster service answered without the decision on order ${typed}`);
  out.write(
    flags.output === 'text'
      ? decisionText(decision, paintFor(out))
      : formatDocument(toJson(BidDecisionSchema, decision, { alwaysEmitImplicit: true }), flags.output),
  );
}

export function decisionText(decision: BidDecision, paint: Paint): string {
  const { order, phase, price, reasons, priceParts } = decision;
  const state = stateText(bidDecisionState({ phase: BidPhaseSchema.value[phase]?.name }), paint);
  const head = `Order ${order === undefined ? '?' : orderText(order)}: ${state}${price === undefined ? '' : `, ${priceWords(price)}`}\n`;
  const why = reasons.map(({ code, message }) => `${message}${code === '' ? '' : ` (${code})`}\n`).join('');
  const parts = Object.entries(priceParts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sections: readonly (readonly [string, string])[] = [
    ['Why', why],
    ['Steps', stepsText(decision)],
    [
      'Price for each block',
      parts.length === 0
        ? ''
        : table(
            ['RESOURCE', 'AMOUNT'],
            parts.map(([name, amount]) => [resourceWord(name), amount]),
          ),
    ],
  ];
  return [head, ...sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`]))].join('\n');
}

/** Each step with its time, and how long after the order it was. */
function stepsText({ phase, orderedAt, reservedAt, bidAt, wonAt, endedAt }: BidDecision): string {
  const end = bidDecisionState({ phase: BidPhaseSchema.value[phase]?.name }).word.toLowerCase();
  const steps: readonly (readonly [string, Timestamp | undefined])[] = [
    ['ordered', orderedAt],
    ['reserved', reservedAt],
    ['bid', bidAt],
    ['won', wonAt],
    [end, endedAt],
  ];
  const rows = steps.flatMap(([step, at]) => (at === undefined ? [] : [[step, clockText(timestampMs(at)), after(orderedAt, at)]]));
  return rows.length === 0 ? '' : table(['STEP', 'AT', 'AFTER'], rows);
}

const after = (from: Timestamp | undefined, at: Timestamp): string =>
  from === undefined || from === at ? '-' : `${((timestampMs(at) - timestampMs(from)) / 1000).toFixed(3)} s`;
