import { type NearestChange, type NodeGroup, type Refusal, RefusalKind, type Shortfall } from '@quartermaster/api/cluster';
import { orderText, reasonWords, sentenceCase, unequalTexts } from '@quartermaster/api/states';
import { unknownText } from '../inventory/amount-text.ts';
import type { Look } from '../text/listing.ts';
import { indented } from '../text/table.ts';
import { namedResource } from './resource-text.ts';
import { untilText } from './time-left.ts';

/** What the service refused, and which of its nodes it told of. */
export interface Refused {
  readonly refusal: Refusal;
  /** Of the whole cluster where it was asked for, else as the refusal has them. */
  readonly nodeGroups: readonly NodeGroup[];
  /** Of one alone, nobody needs to be told which it is. */
  readonly hasOneUnit: boolean;
}

const kinds: Readonly<Record<RefusalKind, string>> = {
  [RefusalKind.UNSPECIFIED]: 'It was refused',
  [RefusalKind.DOES_NOT_FIT]: 'It does not fit',
  [RefusalKind.NOT_FOUND]: 'No place was found, though there may be one',
  [RefusalKind.NOT_KNOWN]: 'Too little is known now to promise anything: try again',
  [RefusalKind.LIMIT]: 'More would be pending than is allowed',
};

/** One sentence, without its full stop. */
export const refusalSummary = ({ summary, kind }: Refusal): string =>
  (summary === '' ? (kinds[kind] ?? kinds[RefusalKind.UNSPECIFIED]) : summary).replace(/\.$/, '');

/** Why a request was refused, and what would be placed instead. */
export function refusalText({ refusal, nodeGroups, hasOneUnit }: Refused, look: Look): string {
  const sections: readonly (readonly [string, string])[] = [
    ['Why', reasonsText(refusal)],
    ['Nodes', nodeGroupsText(nodeGroups, { ...look, hasOneUnit })],
    ['What would fit', refusal.nearestChanges.map((change) => changeText(change, look)).join('')],
  ];
  return [
    `${refusalSummary(refusal)}.\n`,
    ...sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`])),
  ].join('\n');
}

/** Those that the summary does not tell already. */
function reasonsText({ reasons, summary }: Refusal): string {
  const texts = reasons.map(({ code, message }) => (message === '' ? reasonWords(code) : message));
  const untold = texts.filter((text) => !summary.includes(text.replace(/\.$/, '')));
  return untold.map((text) => `${sentence(sentenceCase(text))}\n`).join('');
}

interface GroupLook extends Look {
  readonly hasOneUnit: boolean;
}

/** Nodes by what they lack; those that have room are said to. */
const nodeGroupsText = (groups: readonly NodeGroup[], look: GroupLook): string => groups.map((group) => groupText(group, look)).join('');

function groupText({ count, nodes, shortfalls }: NodeGroup, look: GroupLook): string {
  const more = count - BigInt(nodes.length);
  const named = [...nodes, ...(more > 0n && nodes.length > 0 ? [`${more} more`] : [])].join(', ');
  const head = `${count} ${count === 1n ? 'node' : 'nodes'}${named === '' ? '' : `: ${named}`}`;
  if (shortfalls.length === 0) return `${head}\n  ${count === 1n ? 'has' : 'have'} room for a replica\n`;
  return `${head}\n${shortfalls.map((each) => `  ${shortfallText(each, look)}\n`).join('')}`;
}

function shortfallText({ unit, reason, resource, needed, free }: Shortfall, look: GroupLook): string {
  const whose = unit === undefined || look.hasOneUnit ? '' : `unit ${unit}: `;
  if (resource !== '' && needed > 0n) {
    const { label, unit: measure } = namedResource(resource);
    const exact = (value: bigint): string => (measure === 'devices' ? `${value}` : `${value} ${measure}`);
    const [there, asked] = look.exact ? [exact(free), exact(needed)] : unequalTexts(resource, Number(free), Number(needed));
    return `${whose}${label}: ${asked} needed, at most ${there} free`;
  }
  const message = reason?.message ?? '';
  return `${whose}${message === '' ? reasonWords(reason?.code ?? unknownText) : message}`;
}

function changeText({ message, change }: NearestChange, look: Look): string {
  if (change.case !== 'awaitRelease' || change.value.orders.length === 0) return `${sentence(message)}\n`;
  const { orders, expectedAt } = change.value;
  const [these, become] = orders.length === 1 ? ['this reservation is', 'it becomes'] : ['these reservations are', 'they become'];
  const when = expectedAt === undefined ? '' : `, ${untilText(expectedAt, look.now)} at the latest unless ${become} active`;
  return `It fits once ${these} given back${when}:\n${orders.map((order) => `  ${orderText(order)}\n`).join('')}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
