import type { MessageInitShape } from '@bufbuild/protobuf';
import { RefusalKind, type RefusalSchema } from '@quartermaster/api/cluster';
import type { Refused } from '../book/decision.ts';
import type { Reason } from '../placement/stock-facts.ts';
import type { GenerationMessage } from './plan-message.ts';

const kinds = {
  'does-not-fit': RefusalKind.DOES_NOT_FIT,
  'not-found': RefusalKind.NOT_FOUND,
  'not-known': RefusalKind.NOT_KNOWN,
  limit: RefusalKind.LIMIT,
} as const satisfies Record<Refused['why'], RefusalKind>;

const openings = {
  'does-not-fit': 'It does not fit',
  'not-found': 'No place was found, though there may be one',
  'not-known': 'Nothing can be promised now',
  limit: 'More would be pending than is allowed',
} as const satisfies Record<Refused['why'], string>;

/** More of them would not be read. */
const maxTold = 3;

export function refusalMessage(refused: Refused, generation: GenerationMessage) {
  const { why, reasons } = refused;
  return {
    kind: kinds[why],
    summary: summaryOf(refused),
    reasons: reasons.map(({ code, message }) => ({ code, message })),
    generation,
  } satisfies MessageInitShape<typeof RefusalSchema>;
}

/** One sentence for people. */
export function summaryOf({ why, reasons }: Pick<Refused, 'why' | 'reasons'>): string {
  const messages = [...new Set(reasons.map(({ message }: Reason) => message))];
  const told = messages.slice(0, maxTold);
  const more = messages.length - told.length;
  const rest = more === 0 ? [] : [more === 1 ? 'and one more reason' : `and ${more} more reasons`];
  return `${[openings[why], [...told, ...rest].join('; ')].filter((text) => text !== '').join(': ')}.`;
}
