import { enumWord } from './enum-word.ts';
import type { State, Tone } from './state.ts';

const tones: Readonly<Record<string, Tone>> = { Pending: 'reserved', Active: 'allocated' };

/** The state of a reservation, by its phase as JSON has it. One that nobody may rely on yet is neither pending nor active to those who look. */
export function reservationState({
  phase,
  confirmed = false,
}: {
  readonly phase?: string | undefined;
  readonly confirmed?: boolean | undefined;
}): State {
  if (!confirmed) return { word: 'Not confirmed', tone: 'unknown' };
  const word = enumWord(phase, 'RESERVATION_PHASE');
  const tone = tones[word];
  return tone === undefined ? { word: 'Unknown', tone: 'unknown' } : { word, tone };
}
