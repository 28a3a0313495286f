import type { CardGroupJson, NearestChangeJson, NodeGroupJson, PlanJson, RefusalJson, ShortfallJson } from '@quartermaster/api/cluster';
import { partText, reasonWords, type Tone } from '@quartermaster/api/states';
import { byteUnits, countOf, sentenceCase } from '../model/amounts.ts';
import { groupName, isWanted, numberOf } from '../model/card-names.ts';
import { nodesOf } from '../reservations/reservation-words.ts';
import type { FitField } from './fit-order.ts';

export interface Verdict {
  readonly tone: Tone;
  readonly text: string;
}

/** The answer in one sentence, beginning with it. */
export function planVerdict(plan: PlanJson): Verdict {
  const replicas = (plan.units ?? []).reduce((sum, unit) => sum + (unit.replicas?.length ?? 0), 0);
  return { tone: 'good', text: `Yes: ${countOf(replicas, 'replica')} on ${countOf(nodesOf({ plan }).length, 'node')}.` };
}

/** Only what is certain is a no: what nobody knows, or nobody found in time, may fit. */
export function refusalVerdict({ kind, summary = '' }: RefusalJson): Verdict {
  const said = (word: string, fallback: string): string => {
    const text = summary === '' ? fallback : sentence(withoutOpening(summary));
    return word === 'No' && /^no /i.test(text) ? sentenceCase(text) : `${word}: ${text}`;
  };
  switch (kind) {
    case 'REFUSAL_KIND_DOES_NOT_FIT':
      return { tone: 'failed', text: said('No', 'it does not fit.') };
    case 'REFUSAL_KIND_NOT_FOUND':
      return { tone: 'held', text: said('Not found, though it may fit', 'the search for a place ended.') };
    case 'REFUSAL_KIND_LIMIT':
      return { tone: 'held', text: said('Over a limit', 'more would be pending than is allowed.') };
    default:
      return { tone: 'unknown', text: said('Not known', 'what must be known to promise it is not known. Asking again.') };
  }
}

/** What the word before it says already. */
const withoutOpening = (summary: string): string =>
  summary.replace(/^(It does not fit|No place was found, though there may be one|More would be pending than is allowed): /, '');

const sentence = (text: string): string => `${text}${/[.?!]$/.test(text) ? '' : '.'}`;

/** What a node is short of for one replica: `3 of 8 GPUs`, `disk pressure`. */
export function shortfallWords({ reason = {}, resource = '', needed, free }: ShortfallJson): string {
  const [wanted, there] = [numberOf(needed), numberOf(free)];
  if (resource === '' || wanted === 0)
    return reason.message === undefined || reason.message === '' ? reasonWords(reason.code ?? '') : reason.message;
  const amounts = partText(resource, there, wanted);
  if (resource === 'cpu') return `${amounts} free`;
  if (resource === 'memory') return `${amounts} memory free`;
  if (resource === 'ephemeral-storage') return `${amounts} ephemeral storage free`;
  if (resource === 'pods') return `${amounts} pod slots free`;
  if (resource.startsWith('storage/')) return `${amounts} of ${resource.slice('storage/'.length)} free`;
  return `${amounts} GPUs free`;
}

/** What nodes of a group lack, each thing once. */
export const groupWords = ({ shortfalls = [] }: NodeGroupJson): string =>
  sentenceCase([...new Set(shortfalls.map(shortfallWords))].join(', '));

/** What the reservations that it waits for have to do with it; when comes after them. */
export const releaseWords = (count: number): string =>
  `It fits once ${count === 1 ? 'this pending reservation is' : 'these pending reservations are'} given back:`;

/** `in 5 min at the latest, unless it becomes active`. */
export const releaseTime = (count: number, left: string): string =>
  `in ${left} at the latest, unless ${count === 1 ? 'it becomes' : 'they become'} active`;

/** What to write into which fields for a change; undefined for one that is not of the order. */
export function changedFields(
  { fewerReplicas, otherCards, lessResource }: NearestChangeJson,
  groups: readonly CardGroupJson[],
): Readonly<Partial<Record<FitField, string>>> | undefined {
  if (fewerReplicas !== undefined) return { replicas: String(fewerReplicas.count ?? 0) };
  if (otherCards !== undefined) {
    const group = groups.find((each) => isWanted(each, otherCards.want ?? {}));
    return group === undefined
      ? undefined
      : { model: groupName(group), ...(otherCards.count !== undefined && { gpus: String(otherCards.count) }) };
  }
  if (lessResource === undefined) return undefined;
  const { resource = '', amount } = lessResource;
  const value = numberOf(amount);
  if (resource === 'cpu') return { cpu: value % 1000 === 0 ? String(value / 1000) : `${value}m` };
  if (resource === 'memory') return { memory: exactBytes(value) };
  if (resource === 'ephemeral-storage') return { disk: exactBytes(value) };
  return resource.startsWith('storage/') ? { size: exactBytes(value) } : { gpus: String(value) };
}

/** In the largest unit of which it is a whole number: it must be read back as it was. */
export function exactBytes(value: number): string {
  let power = 0;
  while (power < byteUnits.length - 1 && value > 0 && value % 1024 ** (power + 1) === 0) power += 1;
  return `${value / 1024 ** power} ${byteUnits[power] ?? 'B'}`;
}
