import { expect, it } from 'vitest';
import { bidDecisionState, marketState } from './market-state.ts';

it.each([
  ['DEPLOYMENT_STATE_ACTIVE', 'Active', 'allocated'],
  ['ORDER_STATE_OPEN', 'Open', 'reserved'],
  ['ORDER_STATE_ACTIVE', 'Active', 'allocated'],
  ['BID_STATE_ACTIVE', 'Won', 'allocated'],
  ['BID_STATE_LOST', 'Lost', 'plain'],
  ['LEASE_STATE_CLOSED', 'Closed', 'plain'],
  ['LEASE_STATE_UNSPECIFIED', 'Unknown', 'unknown'],
  ['ORDER_STATE_OF_TOMORROW', 'Unknown', 'unknown'],
  [undefined, 'Unknown', 'unknown'],
])('says %s as %s', (state, word, tone) => {
  expect(marketState({ status: { state } })).toEqual({ word, tone });
});

it.each([
  ['BID_PHASE_DECLINED', 'Declined', 'held'],
  ['BID_PHASE_BID', 'Bid', 'reserved'],
  ['BID_PHASE_WON', 'Won', 'allocated'],
  ['BID_PHASE_EXPIRED', 'Expired', 'plain'],
  ['BID_PHASE_UNSPECIFIED', 'Unknown', 'unknown'],
  [undefined, 'Unknown', 'unknown'],
])('says %s of a decision as %s', (phase, word, tone) => {
  expect(bidDecisionState({ phase })).toEqual({ word, tone });
});
