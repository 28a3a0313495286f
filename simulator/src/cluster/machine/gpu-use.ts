import { type Gpu, hash } from './hardware.ts';

/** How busy a card is. Made up: nothing is computed on a simulated GPU. */
export interface GpuUse {
  readonly percent: number;
  readonly memoryShare: number;
  readonly celsius: number;
  readonly loadShare: number;
}

/** The figures stay the same for so long, so that two who look at once see the same. */
const stepMs = 10_000;
const idle: GpuUse = { percent: 0, memoryShare: 0, celsius: 31, loadShare: 0.1 };

/**
 * Use that follows from the card's UUID and the time alone: an idle card rests, a held one works at a pace of its own that swings a
 * little. No random state, so that a run can be repeated.
 */
export function gpuUse({ uuid }: Pick<Gpu, 'uuid'>, isHeld: boolean, nowMs: number): GpuUse {
  if (!isHeld) return idle;
  const pace = 45 + (hash(uuid) % 45);
  const swing = (hash(`${uuid}@${Math.floor(nowMs / stepMs)}`) % 21) - 10;
  const percent = Math.min(Math.max(pace + swing, 0), 100);
  const memoryShare = 0.3 + (hash(`${uuid}/memory`) % 60) / 100;
  return { percent, memoryShare, celsius: 40 + Math.round(percent * 0.4), loadShare: 0.25 + percent * 0.007 };
}
