import { enumWord } from './enum-word.ts';
import type { State, Tone } from './state.ts';

const tones: Readonly<Record<string, Tone>> = { Pending: 'reserved', Active: 'allocated', Error: 'failed', Complete: 'plain' };

/** How far a provider is with a lease, by the state of a RunningLease as JSON has it, or as it is reported to the market: `Active`. */
export function leaseState(state: string | undefined): State {
  const word = enumWord(state, 'LEASE_RUN_STATE');
  const tone = tones[word];
  return tone === undefined ? { word: 'Unknown', tone: 'unknown' } : { word, tone };
}

const healthTones: Readonly<Record<string, Tone>> = { Starting: 'reserved', Healthy: 'good', Unhealthy: 'failed' };

/** How what runs of a lease is seen to be. What cannot be seen is unknown, and not unhealthy. */
export function leaseHealth(health: string | undefined): State {
  const word = enumWord(health, 'LEASE_HEALTH');
  if (word === 'None') return { word: 'Not deployed', tone: 'plain' };
  const tone = healthTones[word];
  return tone === undefined ? { word: 'Unknown', tone: 'unknown' } : { word, tone };
}

// step of the way of a lease, as the contract names it -> for people
const phaseNames: Readonly<Record<string, string>> = {
  order: 'Ordered',
  bid: 'Bid',
  lease: 'Leased',
  manifest: 'Manifest',
  deployed: 'Deployed',
  running: 'Running',
  closing: 'Closing',
  closed: 'Closed',
};

/** A step of the way from the order to the end. */
export const leasePhaseWord = (name: string): string => phaseNames[name] ?? name;
