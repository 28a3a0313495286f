import { enumWord } from './enum-word.ts';
import type { State, Tone } from './state.ts';
import type { StatedObject } from './stated-object.ts';

// what the market says of a deployment, an order, a bid or a lease -> its fill; what is over needs none
const tones: Readonly<Record<string, Tone>> = { Open: 'reserved', Active: 'allocated', Won: 'allocated', Lost: 'plain', Closed: 'plain' };

/** The state of anything of the market, by its `status.state` as JSON has it: `ORDER_STATE_OPEN`, `BID_STATE_LOST`. */
export function marketState({ status }: StatedObject): State {
  const said = enumWord(status?.state, '[A-Z]+_STATE');
  // Of a bid that has become the lease, people say that it won.
  const word = status?.state === 'BID_STATE_ACTIVE' ? 'Won' : said;
  return stateOf(word, tones);
}

const phaseTones: Readonly<Record<string, Tone>> = { ...tones, Declined: 'held', Reserved: 'reserved', Bid: 'reserved', Expired: 'plain' };

/** What a provider made of an order, by the phase of its BidDecision as JSON has it. */
export function bidDecisionState({ phase }: { readonly phase?: string | undefined }): State {
  return stateOf(enumWord(phase, 'BID_PHASE'), phaseTones);
}

function stateOf(word: string, known: typeof tones): State {
  const tone = known[word];
  return tone === undefined ? { word: 'Unknown', tone: 'unknown' } : { word, tone };
}
