import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Reservation, type ReservationCondition, ReservationPhase } from '@quartermaster/api/cluster';
import { orderText, placeWord, promiseWords, reasonWords, sentenceCase } from '@quartermaster/api/states';
import { partText, quantityText, unknownText } from '../inventory/amount-text.ts';
import { ageText, sinceText } from '../inventory/freshness-text.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Look } from '../text/listing.ts';
import { stateText } from '../text/state-text.ts';
import { indented, table } from '../text/table.ts';
import { clockText } from '../text/time-text.ts';
import { planText } from './plan-text.ts';
import { printRequest } from './request/print-request.ts';
import { nameOf } from './reservation-connection.ts';
import { expiryText, podsText, stateOf } from './reservation-list.ts';
import { resourceRows } from './resource-text.ts';

/** Everything about one reservation. */
export function reservationDescription(reservation: Reservation, look: Look): string {
  const { conditions, request, plan } = reservation;
  const sections: readonly (readonly [string, string])[] = [
    ['Conditions', conditions.map((condition) => conditionText(condition, look)).join('')],
    ['Amounts', amountsText(reservation, look)],
    ['Request', request === undefined ? `${unknownText}\n` : formatDocument(printRequest(request), 'yaml')],
    ['Plan', plan === undefined ? `${unknownText}\n` : planText(plan, look)],
    ['Pods', unitPodsText(reservation)],
  ];
  const texts = sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`]));
  return [headText(reservation, look), ...texts].join('\n');
}

function headText(reservation: Reservation, look: Look): string {
  const { uid, owner, createdAt, term, leaseNamespace: namespace } = reservation;
  return table(
    ['Reservation', nameOf(reservation)],
    [
      ['UID', uid],
      ['State', stateText(stateOf(reservation), look.paint)],
      ['Owner', owner === '' ? unknownText : owner],
      ['Created', createdAt === undefined ? unknownText : `${clockText(timestampMs(createdAt))} (${ageText(createdAt, look.now)} ago)`],
      ['Expires', expiresText(reservation, look)],
      ['Lease', namespace === undefined ? 'none yet' : `namespace ${namespace.name} (${namespace.uid})`],
      ['Term', term.toString()],
    ],
  );
}

function expiresText(reservation: Reservation, { now }: Look): string {
  const { expiresAt, phase, bid } = reservation;
  if (expiresAt === undefined && phase === ReservationPhase.ACTIVE) return 'never: it stays until it is unreserved';
  if (expiresAt === undefined) return bid === undefined ? unknownText : `when its bid of ${bid.amount} ${bid.denom} can no longer win`;
  return `${expiryText(reservation, now)} (${clockText(timestampMs(expiresAt))}), unless it becomes active`;
}

/** With the places that it is about, and who shares them. */
function conditionText({ type, message, since, places, reservations }: ReservationCondition, { now }: Look): string {
  const lines = [
    `${sentenceCase(reasonWords(type))}${sinceText({ since }, now)}${message === '' ? '' : `: ${message}`}`,
    ...(places.length === 0 ? [] : [`  where: ${places.map(placeWord).join(', ')}`]),
    ...(reservations.length === 0 ? [] : ['  shared with:', ...reservations.map((order) => `    ${orderText(order)}`)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function amountsText({ promised, allocated, held }: Reservation, look: Look): string {
  const rows = resourceRows([promised, allocated, held]).map(({ label, unit, amounts }) => [
    label,
    ...amounts.map((amount) => (amount === undefined ? unknownText : quantityText(amount, unit, look))),
  ]);
  return rows.length === 0 ? '' : table(['RESOURCE', ...Object.values(promiseWords).map((word) => word.toUpperCase())], rows);
}

function unitPodsText(reservation: Reservation): string {
  const { unitPods, leaseNamespace: namespace } = reservation;
  if (unitPods.length === 0) return '';
  const units = unitPods.map(
    ({ unit, pods, replicas }) => `unit ${unit}: ${partText(BigInt(pods), BigInt(replicas), 'devices', { exact: true })}\n`,
  );
  const all = unitPods.length === 1 ? '' : `together: ${podsText(reservation)}\n`;
  const way = namespace === undefined ? '' : `"quartermaster get allocations -n ${namespace.name}" lists them.\n`;
  return `${units.join('')}${all}${way}`;
}
