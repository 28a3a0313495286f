import type { Tone } from '@quartermaster/api/states';

/** One step of the way of something. */
export interface Phase {
  readonly label: string;
  /** `waiting`: it is its turn, and nobody works on it. */
  readonly state: 'done' | 'current' | 'waiting' | 'failed' | 'ahead';
  /** Why it waits, or what came of it. */
  readonly note: string;
  /** Since when it is so, where that is known. */
  readonly since?: number | undefined;
  /** How long it took, where that is known. */
  readonly tookMs?: number | undefined;
}

export const phaseTone = (state: Phase['state']): Tone =>
  (({ done: 'good', current: 'reserved', waiting: 'unknown', failed: 'failed', ahead: 'plain' }) as const)[state];
